// The interactive roofline: lines by group, intervals as bands, labels, zoom and pan.

/// The heavier is drawn later and labelled first: 4 binds or is meant for the kernel, 1 says enough to have a label.
const weight = (line) => (line.binding || line.own ? 4 : line.next ? 3 : line.roof ? 2 : line.typical ? 1 : 0);

/// Lines from edge to edge, cut off at the outermost that are shown.
function lineSpans(plane, some) {
  const fastest = (diagonal) => Math.max(...some.filter((l) => l.diagonal === diagonal).map((l) => l.rate), 0);
  const peak = fastest(false), steep = fastest(true);
  /// In log10: [x0, y0, x1, y1].
  return (line, rate) => {
    const [x0, x1, y0] = plane.view, y = Math.log10(rate);
    if (!line.diagonal) return [steep ? Math.max(x0, y - Math.log10(steep)) : x0, y, x1, y];
    const to = Math.min(x1, (peak ? Math.log10(peak) : Infinity) - y);
    const from = Math.max(x0, y0 - y);
    return [from, from + y, to, to + y];
  };
}

/// Draws the lines and returns where they are; what wants a label goes to `texts`.
function drawLines(plane, layer, texts, some, bands) {
  const span = lineSpans(plane, some), drawn = [];
  for (const line of [...some].sort((a, b) => weight(a) - weight(b))) {
    const [x0, y0, x1, y1] = span(line, line.rate);
    if (x1 <= x0 || Math.max(y0, y1) < plane.view[2] || Math.min(y0, y1) > plane.view[3]) continue;
    const family = chart.families[line.family], strong = weight(line) >= 2;
    if (bands && weight(line) >= 3 && line.high > line.low) {
      const low = span(line, line.low), high = span(line, line.high);
      const corners = [low.slice(0, 2), low.slice(2), high.slice(2), high.slice(0, 2)];
      const points = corners.map(([x, y]) => `${plane.x(x)},${plane.y(y)}`).join(' ');
      layer.append(svg('polygon', {class: family + '-text', opacity: 0.1, points}));
    }
    const at = {line, x0: plane.x(x0), y0: plane.y(y0), x1: plane.x(x1), y1: plane.y(y1)};
    layer.append(stroke(line.binding ? 'rt-binding' : family, `M${at.x0} ${at.y0}L${at.x1} ${at.y1}`, {
      'stroke-width': weight(line) === 4 ? 3 : strong ? 2 : 0.8,
      'stroke-dasharray': line.applies ? (line.state === 'broken' ? '7 3' : null) : '2 4',
      opacity: strong ? 1 : 0.55,
    }));
    drawn.push(at);
    const style = line.binding ? 'rt-ink' : family + '-text';
    const text = `${line.name}  ${line.label}`;
    texts.push({drawn: at, weight: weight(line), class: style, bold: weight(line) === 4, text});
  }
  return drawn;
}

/// What labels keep clear of: the column where trials lie.
function trialBoxes(plane, column, points) {
  let low = plane.bottom, high = plane.top;
  for (const i of measured) [low, high] = [Math.min(low, points[i][1]), Math.max(high, points[i][1])];
  const [left, right] = [column.left - 9, column.left + column.width + 9];
  return [[left, low - 9, right, high + 9], [left, plane.bottom - 34, right, plane.bottom]];
}

function roofline(host, announce, pin) {
  const plane = new Plane(chart.span.map(Math.log10));
  const groups = chartGroups();
  const state = {colour: 'outcome', at: best, groups: new Set(groups.filter((one) => one.on).map((one) => one.key))};
  const has = (key) => state.groups.has(key);
  const scale = prefix(large, 10 ** ((plane.view[2] + plane.view[3]) / 2));
  const picture = svg('svg', {class: 'rt live', tabindex: 0, role: 'application', 'aria-label':
    'Roofline. Left and right arrow: trials in their order; up and down: faster and slower ones; Enter pins a trial; ' +
    'plus, minus and 0 zoom; Shift with arrows moves the picture.'});
  const tip = html('div', {class: 'tip', hidden: true});
  const frame = html('div', {class: 'chart'}, picture, tip);
  const ring = svg('circle', {class: 'ring', r: 8, fill: 'none'});
  let points = [], lines = [];

  function draw() {
    const width = Math.max(300, frame.clientWidth), height = Math.round(Math.min(560, Math.max(340, width * 0.58)));
    plane.resize(width, height);
    put(picture, {width, height, viewBox: `0 0 ${width} ${height}`}, []);
    const [axes, under, over, labels] = [0, 1, 2, 3].map(() => svg('g', {}));
    const inner = [plane.left, plane.top, plane.right - plane.left, plane.bottom - plane.top];
    const plot = svg('svg', {x: inner[0], y: inner[1], width: inner[2], height: inner[3], viewBox: inner.join(' ')},
      under, over, labels);
    const texts = [], column = columnOf(plane);
    points = trials.index.map((_, i) =>
      [column.x(i), ok(i) ? plane.y(speed(trials.seconds[i])) : plane.bottom - 8]);
    drawAxes(plane, axes, scale);
    const wanted = groups.filter((group) => has(group.key));
    const some = chart.lines.filter((line) => wanted.some((group) => group.has(line)));
    lines = drawLines(plane, under, texts, some, has('bands'));
    if (has('levels') && chart.levels.length) drawLevels(plane, over, texts);
    if (has('walls')) drawWalls(plane, over, texts);
    if (has('trials')) drawTrials(plane, over, column, points, state.colour);
    if (has('path') && steps.length > 1) drawPath(plane, over, column);
    drawRaced(plane, over, texts);
    const marks = texts.filter((text) => text.at).map(({at: [x, y]}) => [x - 9, y - 9, x + 9, y + 9]);
    const taken = has('trials') ? [...trialBoxes(plane, column, points), ...marks] : marks;
    placeLabels(labels, texts, taken, [plane.left, plane.top, plane.right, plane.bottom]);
    picture.replaceChildren(axes, plot);
    mark();
  }
  function mark() {
    ring.remove();
    if (state.at === undefined || !has('trials')) return;
    picture.append(put(ring, {cx: points[state.at][0], cy: points[state.at][1]}, []));
  }
  function show(i, near) {
    state.at = i;
    mark();
    announce(trialText(i));
    showTip(near || points[i], trialText(i).split('\n'));
  }
  function showTip(at, texts) {
    tip.replaceChildren(...texts.map((text, k) => html(k ? 'div' : 'b', {}, text)));
    tip.hidden = false;
    const left = at[0] + 14 + tip.offsetWidth > plane.width ? at[0] - tip.offsetWidth - 14 : at[0] + 14;
    tip.style.left = Math.max(0, left) + 'px';
    tip.style.top = Math.max(0, Math.min(at[1] - 10, plane.height - tip.offsetHeight)) + 'px';
  }
  /// About a point of the picture; without one about the best.
  function zoom(factor, x, y) {
    const [x0, x1, y0, y1] = plane.view, wide = (x1 - x0) / factor;
    if (wide > 1.6 * (plane.start[1] - plane.start[0]) || wide < 0.02) return;
    const middle = chart.best || chart.bound || {x: chart.x, y: 10 ** ((y0 + y1) / 2)};
    const [cx, cy] = x === undefined ? plane.of(middle) : [x, y];
    const u = x0 + ((cx - plane.left) / (plane.right - plane.left)) * (x1 - x0);
    const v = y1 - ((cy - plane.top) / (plane.bottom - plane.top)) * (y1 - y0);
    plane.view = [u - (u - x0) / factor, u + (x1 - u) / factor, v - (v - y0) / factor, v + (y1 - v) / factor];
    draw();
  }
  function pan(dx, dy) {
    const [x0, x1, y0, y1] = plane.view;
    const [u, v] = [dx * (x1 - x0), dy * (y1 - y0)];
    plane.view = [x0 + u, x1 + u, y0 + v, y1 + v];
    draw();
  }
  function reset() {
    plane.view = [...plane.start];
    draw();
  }
  chartInput({picture, tip, state, zoom, pan, reset, show, showTip, pin, plane,
    points: () => (has('trials') ? points : []), lines: () => lines});
  host.replaceChildren(frame, chartControls(groups, state, draw, {zoom, reset}));
  new ResizeObserver(() => {
    if (frame.clientWidth !== plane.width) draw();
  }).observe(frame);
  draw();
  return {select: (i) => {
    state.at = i;
    mark();
  }};
}

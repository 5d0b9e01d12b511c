// The marks of the chart on a plane: axes, trials in their column, the path, raced times, levels of memory.
const chart = data.chart;
const speed = (seconds) => Math.log10(chart.amount / seconds);

/// The plot area in pixels, and what of the chart it shows in log10: [x0, x1, y0, y1].
class Plane {
  constructor(view) {
    this.start = [...view];
    this.view = [...view];
    this.resize(900, 520);
  }
  resize(width, height) {
    Object.assign(this, {width, height, left: 58, top: 8, right: width - 10, bottom: height - 46});
  }
  x(log) {
    return this.left + ((log - this.view[0]) / (this.view[1] - this.view[0])) * (this.right - this.left);
  }
  y(log) {
    return this.bottom - ((log - this.view[2]) / (this.view[3] - this.view[2])) * (this.bottom - this.top);
  }
  /// Of a value on the axis itself.
  of(point) {
    return [this.x(Math.log10(point.x)), this.y(Math.log10(point.y))];
  }
  zoomed() {
    return (this.start[1] - this.start[0]) / (this.view[1] - this.view[0]);
  }
}

/// Which lines and marks are drawn; each a checkbox.
function chartGroups() {
  const families = [...new Set(chart.lines.map((line) => line.family))];
  const groups = [
    {key: 'roofs', name: 'roofs', on: true, has: (l) => l.roof && (l.applies || !l.diagonal)},
    {key: 'next', name: 'next to the best', on: true, has: (l) => l.next || l.binding || l.own},
    {key: 'broken', name: 'broken', has: (l) => l.state === 'broken'},
    ...families.map((family) => ({key: 'all-' + family, name: 'all of ' + family, has: (l) => l.family === family})),
  ].filter((group) => chart.lines.some(group.has));
  for (const [key, name, any] of [
    ['walls', 'walls of traffic', chart.walls.length],
    ['levels', 'levels of memory', chart.levels.length],
    ['trials', 'trials', measured.length],
    ['path', 'path to the best', data.result.path.length > 1],
    ['bands', 'intervals', true],
  ])
    if (any) groups.push({key, name, on: key !== 'walls', has: () => false});
  return groups;
}

/// What the colour of a point may say. Hues after Okabe and Ito (2008), ramps by lightness.
const hues = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9', '#8c6bb1', '#999999'];
const ramp = ['#440154', '#3b528b', '#21918c', '#5ec962', '#d0b800'];

function colouring(name) {
  if (name === 'order') {
    return {
      of: (i) => Math.min(4, Math.floor((5 * i) / count)),
      colours: ramp,
      names: ramp.map((_, k) => (k === 0 ? 'first trials' : k === 4 ? 'last' : '')),
    };
  }
  const knob = knobs.find((one) => one.name === name);
  if (!knob) return {of: () => 0, colours: ['var(--accent)'], names: ['trial that ran']};
  const many = knob.values.length;
  const ordered = many > 2 && knob.values.every((value) => value !== '' && isFinite(value));
  const pick = (k) =>
    ordered ? ramp[Math.round((4 * k) / Math.max(1, many - 1))] : hues[Math.min(k, hues.length - 1)];
  return {of: (i) => trials.knobs[name][i] ?? 0, colours: knob.values.map((_, k) => pick(k)), names: knob.values};
}

/// The steps of the path by their trials' own times; those of the race stand beside.
const steps = data.result.path.map((step) => place.get(step.trial)).filter((i) => i !== undefined && ok(i));

const stroke = (style, d, more) => svg('path', {class: style, d, fill: 'none', ...more});
const words = (style, x, y, anchor, text, more) =>
  svg('text', {class: style, x, y, 'text-anchor': anchor, 'font-size': 11, ...more}, text);

/// Trials stand beside the kernel's intensity, a column between one step of the path and the next; one of a
/// thousand trials is some three times as wide as one of ten.
function columnOf(plane) {
  const room = plane.right - plane.left;
  const width = Math.min(room * 0.6, Math.max(70, room * 0.13) * Math.max(1, plane.zoomed()));
  const x = plane.x(Math.log10(chart.x));
  const fits = x + 16 + width < plane.right || plane.zoomed() > 1.01;
  const left = fits ? x + 16 : x - 16 - width;
  const starts = steps.length ? steps : [0];
  const counts = starts.map((from, k) => (k + 1 < starts.length ? starts[k + 1] : count) - from);
  const shares = counts.map((n) => Math.log2(2 + n));
  const unit = width / shares.reduce((a, b) => a + b, 0);
  const lefts = shares.map((share, k) => left + unit * shares.slice(0, k).reduce((a, b) => a + b, 0));
  const at = (i) => {
    let k = 0;
    while (k + 1 < starts.length && starts[k + 1] <= i) ++k;
    return lefts[k] + unit * shares[k] * Math.max(0, (i - starts[k]) / Math.max(1, counts[k]));
  };
  return {left, width, x: at};
}

/// `scale`: of the speeds, as [factor, prefix].
function drawAxes(plane, layer, scale) {
  const {left, top, right, bottom} = plane;
  layer.append(svg('rect', {class: 'rt-panel', x: left, y: top, width: right - left, height: bottom - top}));
  const grid = (digit) => (digit ? 'rt-grid' : 'rt-grid-minor');
  for (const [at, digit] of logTicks(plane.view[0], plane.view[1], plane.width / 70)) {
    layer.append(stroke(grid(digit), `M${plane.x(at)} ${top}V${bottom}`));
    if (digit) layer.append(words('rt-soft', plane.x(at), bottom + 16, 'middle', tickText(10 ** at)));
  }
  for (const [at, digit] of logTicks(plane.view[2], plane.view[3], plane.height / 30)) {
    layer.append(stroke(grid(digit), `M${left} ${plane.y(at)}H${right}`));
    if (digit) layer.append(words('rt-soft', left - 6, plane.y(at) + 4, 'end', tickText(10 ** at / scale[0])));
  }
  const title = {'font-size': 12};
  const level = chart.level ? `, of ${chart.level} at the marks` : '';
  const turned = {...title, transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`};
  layer.append(
    stroke('rt-axis', `M${left} ${top}V${bottom}H${right}`),
    words('rt-ink', (left + right) / 2, bottom + 36, 'middle', `intensity [${chart.unit}/B]${level}`, title),
    words('rt-ink', 0, 0, 'middle', `performance [${(scale[1] + unitText(chart.unit)).trim()}]`, turned),
  );
}

/// The path by its trials' own times, numbered from the baseline.
function drawPath(plane, layer, column) {
  const at = steps.map((i) => [column.x(i), plane.y(speed(trials.seconds[i]))]);
  const stairs = at.map(([x, y], k) => (k ? `H${x}V${y}` : `M${x} ${y}`)).join('');
  layer.append(stroke('rt-path', `${stairs}H${column.left + column.width}`, {'stroke-width': 1.6}));
  const r = Math.max(4, Math.min(8, (0.42 * column.width) / steps.length));
  const bold = {'font-size': r * 1.25, 'font-weight': 600};
  at.forEach(([cx, cy], k) => {
    const style = k === 0 ? 'rt-base' : k + 1 === at.length ? 'rt-best' : 'rt-step';
    layer.append(svg('circle', {class: style, cx, cy, r}));
    if (r > 5.5) layer.append(words('rt-step-text', cx, cy + r * 0.4, 'middle', String(k), bold));
  });
}

const star = 'M0-9L2.3-2.9L8.6-2.8L3.6 1.2L5.3 7.3L0 3.8L-5.3 7.3L-3.6 1.2L-8.6-2.8L-2.3-2.9Z';
const raced = [
  ['bound', 'rt-binding', 'rt-ink', () => stroke('rt-binding', 'M-12 0h24', {'stroke-width': 3.5})],
  ['baseline', 'rt-base-line', 'fam-DRAM-text', () => svg('path', {class: 'rt-base', d: 'M-5.5-5.5h11v11h-11Z'})],
  ['best', 'rt-best-line', 'rt-broken-text', () => svg('path', {class: 'rt-best', d: star})],
];
/// Raced times at the kernel's own intensity, with their intervals.
function drawRaced(plane, layer, texts) {
  for (const [name, line, style, mark] of raced) {
    const point = chart[name];
    if (!point) continue;
    const [x, y] = plane.of(point);
    const [low, high] = [point.low, point.high].map((value) => plane.y(Math.log10(value)));
    layer.append(stroke(line, `M${x} ${low}V${high}`, {'stroke-width': 1.4}));
    layer.append(put(mark(), {transform: `translate(${x} ${y})`}, []));
    texts.push({at: [x, y], weight: 9, bold: true, class: style, text: `${name} ${rateText(point.y, chart.unit)}`});
  }
}

/// The best at the intensity of each level, joined where its bytes were counted.
function drawLevels(plane, layer, texts) {
  const at = chart.levels.map((level) => [...plane.of(level), level.label]).sort((a, b) => a[0] - b[0]);
  const joined = 'M' + at.map(([x, y]) => `${x} ${y}`).join('L');
  if (chart.counted) layer.append(stroke('rt-best-line', joined, {'stroke-dasharray': '3 3'}));
  for (const [x, y, name] of at) {
    layer.append(svg('path', {class: 'rt-best', opacity: 0.7, d: `M${x} ${y - 5}l5 5l-5 5l-5 -5Z`}));
    texts.push({at: [x, y], weight: 1.5, class: 'rt-broken-text', text: name});
  }
}

function drawWalls(plane, layer, texts) {
  for (const wall of chart.walls) {
    const x = plane.x(Math.log10(wall.x));
    layer.append(stroke('rt-wall', `M${x} ${plane.top}V${plane.bottom}`, {'stroke-dasharray': '5 3'}));
    const drawn = {x0: x, y0: plane.bottom, x1: x, y1: plane.top};
    texts.push({drawn, weight: 2.5, class: 'rt-wall-text', text: 'wall: ' + wall.label});
  }
}

/// Trials as dots by colour, failures as crosses along the bottom. `points`: where each is.
function drawTrials(plane, layer, column, points, colour) {
  const palette = colouring(colour);
  const layers = palette.colours.map(() => []);
  const crosses = points.filter((p, i) => !ok(i)).map(([x, y]) => `M${x - 2.5} ${y - 2.5}l5 5m0 -5l-5 5`);
  for (const i of measured) layers[palette.of(i)].push(points[i]);
  const [width, opacity] = count > 2000 ? [3, 0.35] : count > 300 ? [4, 0.75] : [5.5, 0.75];
  const round = {'stroke-linecap': 'round', opacity, 'stroke-width': width};
  layers.forEach((some, k) => {
    if (some.length) layer.append(stroke(null, dots(some), {...round, stroke: palette.colours[k]}));
  });
  if (crosses.length) layer.append(stroke('rt-failed', crosses.join(''), {'stroke-width': 1.2, opacity: 0.8}));
  const middle = column.left + column.width / 2;
  layer.append(words('rt-soft', middle, plane.bottom - 20, 'middle', 'trials in order'));
}

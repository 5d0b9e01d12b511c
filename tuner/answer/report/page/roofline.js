// The interactive roofline: lines by group, intervals as bands, labels, zoom and pan.

/// `scene`: what is drawn and told (studyScene, comparedScene); `announce`: says a text aloud.
function roofline(host, scene, announce) {
  const plane = new Plane(scene.span.map(Math.log10));
  const state = {at: scene.first, groups: new Set(scene.groups.filter((one) => one.on).map((one) => one.key))};
  const has = (key) => state.groups.has(key);
  const scale = prefix(large, 10 ** ((plane.view[2] + plane.view[3]) / 2));
  const picture = svg('svg', {class: 'rt live', tabindex: 0, role: 'application', 'aria-label':
    `Roofline. ${scene.keys}; plus, minus and 0 zoom; Shift with arrows moves the picture.`});
  const tip = html('div', {class: 'tip', hidden: true});
  const frame = html('div', {class: 'chart'}, picture, tip);
  const ring = svg('circle', {class: 'ring', r: 8, fill: 'none'});
  let drawn = {points: [], lines: [], taken: []};

  function draw() {
    const width = Math.max(300, frame.clientWidth), height = Math.round(Math.min(560, Math.max(340, width * 0.58)));
    plane.resize(width, height);
    put(picture, {width, height, viewBox: `0 0 ${width} ${height}`}, []);
    const [axes, under, over, labels] = [0, 1, 2, 3].map(() => svg('g', {}));
    const inner = [plane.left, plane.top, plane.right - plane.left, plane.bottom - plane.top];
    const plot = svg('svg', {x: inner[0], y: inner[1], width: inner[2], height: inner[3], viewBox: inner.join(' ')},
      under, over, labels);
    const texts = [];
    drawAxes(plane, axes, scale, scene.unit, scene.note);
    const wanted = scene.groups.filter((group) => has(group.key));
    const some = scene.lines.filter((line) => wanted.some((group) => group.has(line)));
    drawn = scene.draw(plane, under, over, texts, some, has);
    const marks = texts.filter((text) => text.at).map(({at: [x, y]}) => [x - 9, y - 9, x + 9, y + 9]);
    placeLabels(labels, texts, [...drawn.taken, ...marks], [plane.left, plane.top, plane.right, plane.bottom]);
    picture.replaceChildren(axes, plot);
    mark();
  }
  function mark() {
    ring.remove();
    const at = drawn.points[state.at];
    if (at) picture.append(put(ring, {cx: at[0], cy: at[1]}, []));
  }
  function show(i, near) {
    state.at = i;
    mark();
    announce(scene.text(i));
    const at = near || drawn.points[i];
    if (at) showTip(at, scene.text(i).split('\n'));
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
    const middle = scene.focus ? plane.of(scene.focus) : [plane.width / 2, plane.height / 2];
    const [cx, cy] = x === undefined ? middle : [x, y];
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
  chartInput({picture, tip, state, zoom, pan, reset, show, showTip, plane, scene,
    points: () => drawn.points, lines: () => drawn.lines});
  host.replaceChildren(frame, chartControls(scene, state, draw, {zoom, reset}));
  new ResizeObserver(() => {
    if (frame.clientWidth !== plane.width) draw();
  }).observe(frame);
  draw();
  return {select: (i) => {
    state.at = i;
    mark();
  }};
}

// The chart of a study: its ceilings, trials in their column, the path, raced times, levels of memory.
const chart = data.chart;
const speed = (seconds) => Math.log10(chart.amount / seconds);

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

const raced = [
  ['bound', 'rt-binding', 'rt-ink', () => stroke('rt-binding', 'M-12 0h24', {'stroke-width': 3.5})],
  ['baseline', 'rt-base-line', 'fam-DRAM-text', () => svg('path', {class: 'rt-base', d: square})],
  ['best', 'rt-best-line', 'rt-broken-text', () => svg('path', {class: 'rt-best', d: star})],
];
/// Raced times at the kernel's own intensity.
function drawRaced(plane, layer, texts) {
  for (const [name, line, style, mark] of raced) {
    const point = chart[name];
    if (!point) continue;
    const at = drawRacedPoint(plane, layer, point, line, mark());
    texts.push({at, weight: 9, bold: true, class: style, text: `${name} ${rateText(point.y, chart.unit)}`});
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

/// What labels keep clear of: the column where trials lie.
function trialBoxes(plane, column, points) {
  let low = plane.bottom, high = plane.top;
  for (const i of measured) [low, high] = [Math.min(low, points[i][1]), Math.max(high, points[i][1])];
  const [left, right] = [column.left - 9, column.left + column.width + 9];
  return [[left, low - 9, right, high + 9], [left, plane.bottom - 34, right, plane.bottom]];
}

function lineStyle(line) {
  const family = chart.families[line.family];
  return line.binding
    ? {line: 'rt-binding', area: family + '-text', text: 'rt-ink'}
    : {line: family, area: family + '-text', text: family + '-text'};
}

/// A choice of what colours the points, and what its colours mean. `choose` is told.
function colourChoice(choose) {
  const key = html('span', {class: 'key'});
  function showKey() {
    const palette = colouring(choice.value || 'outcome');
    key.replaceChildren(
      ...palette.colours
        .map((colour, k) =>
          palette.names[k] === ''
            ? null
            : html('span', {}, swatch({fill: colour}), palette.names[k]),
        )
        .filter(Boolean),
    );
    if (choice.value === 'order') key.append(' (light: late)');
  }
  const varied = knobs.filter((knob) => new Set(trials.knobs[knob.name]).size > 1);
  const choice = html(
    'select',
    {
      onchange: () => {
        showKey();
        choose(choice.value);
      },
    },
    ...[['outcome', 'outcome'], ['order', 'time of the trial'], ...varied.map((knob) => [knob.name, knob.name])].map(
      ([value, name]) => html('option', {value}, name),
    ),
  );
  showKey();
  return [html('label', {}, 'colour by ', choice), key];
}

/// What roofline() draws of a study. `pin`: shows one trial in full.
function studyScene(pin) {
  let colour = 'outcome';
  return {
    span: chart.span,
    unit: chart.unit,
    note: chart.level ? `, of ${chart.level} at the marks` : '',
    focus: chart.best || chart.bound,
    lines: chart.lines,
    groups: chartGroups(),
    first: best,
    inOrder: [...trials.index.keys()],
    bySpeed: [...measured].sort((a, b) => trials.seconds[b] - trials.seconds[a]),
    keys: 'Left and right arrow: trials in their order; up and down: faster and slower ones; Enter pins a trial',
    text: trialText,
    pin,
    draw(plane, under, over, texts, some, has) {
      const column = columnOf(plane);
      const points = trials.index.map((_, i) =>
        [column.x(i), ok(i) ? plane.y(speed(trials.seconds[i])) : plane.bottom - 8]);
      const lines = drawLines(plane, under, texts, some, lineStyle, has('bands'));
      if (has('levels') && chart.levels.length) drawLevels(plane, over, texts);
      if (has('walls')) drawWalls(plane, over, texts);
      if (has('trials')) drawTrials(plane, over, column, points, colour);
      if (has('path') && steps.length > 1) drawPath(plane, over, column);
      drawRaced(plane, over, texts);
      return has('trials') ? {lines, points, taken: trialBoxes(plane, column, points)} : {lines, points: [], taken: []};
    },
    controls: (draw) =>
      colourChoice((chosen) => {
        colour = chosen;
        draw();
      }),
  };
}

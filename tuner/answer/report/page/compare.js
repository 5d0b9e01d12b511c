// The chart of studies beside each other: one colour for a study, its limit and roofs, baseline and best.
const studies = data.studies;
const colourOf = (k) => `study-${k % data.colours}`;
const keyOf = (k) => `study:${k}`;
studies.forEach((study, k) => {
  for (const line of study.chart.lines) Object.assign(line, {study: k, hover: `${study.name}\n${line.hover}`});
});

function comparedGroups(lines) {
  const nothing = () => false;
  const kinds = [
    {key: 'limit', name: 'what limits each', on: true, has: (l) => l.binding},
    {key: 'peaks', name: 'peaks of arithmetic', on: true, has: (l) => l.roof && !l.diagonal},
    {key: 'roofs', name: 'roofs of memory', has: (l) => l.roof && l.diagonal && l.applies},
    {key: 'next', name: 'next to the best', has: (l) => l.next || l.own},
    {key: 'all-lines', name: 'all ceilings', has: () => true},
  ].filter((group) => lines.some(group.has));
  return [
    ...studies.map((study, k) => ({key: keyOf(k), name: study.name, on: true, has: nothing})),
    ...kinds,
    {key: 'baseline', name: 'baselines', on: true, has: nothing},
    {key: 'bands', name: 'intervals', on: true, has: nothing},
  ];
}

function drawCompared(plane, layer, texts, k, has) {
  const chart = studies[k].chart, colour = colourOf(k), line = colour + '-line';
  if (chart.bound)
    drawRacedPoint(plane, layer, chart.bound, line, stroke(line, 'M-12 0h24', {'stroke-width': 3.5}));
  if (has('baseline') && chart.baseline)
    drawRacedPoint(plane, layer, chart.baseline, line, svg('path', {class: colour, d: square}));
  if (!chart.best) return null;
  const at = drawRacedPoint(plane, layer, chart.best, line, svg('path', {class: colour, d: star}));
  const text = `${studies[k].name} ${rateText(chart.best.y, chart.unit)}`;
  texts.push({at, weight: 9, bold: true, class: colour, text});
  return at;
}

function comparedScene(pin) {
  const lines = studies.flatMap((study) => study.chart.lines);
  const ran = [...studies.keys()].filter((k) => studies[k].chart.best);
  const speed = (k) => studies[k].chart.best.y;
  const style = (line) =>
    ({line: colourOf(line.study) + '-line', area: colourOf(line.study), text: colourOf(line.study)});
  return {
    span: data.span,
    unit: data.unit,
    note: ", of each one's own level",
    focus: null,
    lines,
    groups: comparedGroups(lines),
    inOrder: ran,
    bySpeed: [...ran].sort((a, b) => speed(a) - speed(b)),
    keys: 'Left and right arrow: studies in their order; up and down: faster and slower ones; Enter shows the row',
    text: (k) => studies[k].text,
    pin,
    controls: () => [
      html('span', {class: 'key'}, ...studies.map((study, k) =>
        html('span', {}, swatch({class: colourOf(k)}), study.name))),
    ],
    draw(plane, under, over, texts, some, has) {
      const shown = [...studies.keys()].filter((k) => has(keyOf(k)));
      const drawn = shown.flatMap((k) => drawLines(plane, under, texts, some.filter((l) => l.study === k), style,
        has('bands')));
      const points = studies.map(() => null);
      for (const k of shown) points[k] = drawCompared(plane, over, texts, k, has);
      return {lines: drawn, points, taken: []};
    },
  };
}

const said = html('div', {class: 'quiet', 'aria-live': 'polite'});
document.querySelector('main').append(said);
/// The study's row of the table, wherever a sort put it.
function showRow(k) {
  for (const row of document.querySelectorAll('#studies tbody tr')) {
    const here = row.cells[0].textContent === studies[k].name;
    row.classList.toggle('best', here);
    if (here) row.scrollIntoView({block: 'nearest'});
  }
}
roofline(document.getElementById('chart'), comparedScene(showRow), (text) => {
  said.textContent = text;
});
document.documentElement.dataset.ready = '1';

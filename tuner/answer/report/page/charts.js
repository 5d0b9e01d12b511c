// Every knob against time, and where the time of the study went.

/// The share of the variance of log time that lies between the values of a knob, over the trials that were made.
function shareOf(groups, total) {
  let between = 0;
  for (const group of groups.values()) between += (group.sum * group.sum) / group.n;
  return total.variance > 0 ? Math.max(0, (between - (total.sum * total.sum) / total.n) / total.variance) : 0;
}
function groupedBy(keyOf) {
  const groups = new Map();
  for (const i of measured) {
    const key = keyOf(i);
    const group = groups.get(key) || {n: 0, sum: 0};
    group.n += 1;
    group.sum += Math.log(trials.seconds[i]);
    groups.set(key, group);
  }
  return groups;
}
function totals() {
  let sum = 0,
    squares = 0;
  for (const i of measured) {
    const t = Math.log(trials.seconds[i]);
    sum += t;
    squares += t * t;
  }
  return {n: measured.length, sum, variance: squares - (sum * sum) / measured.length};
}

/// Knobs that took several values, those that matter first: by their share of the variance.
function rankedKnobs() {
  const total = totals();
  return knobs
    .map((knob) => {
      const groups = groupedBy((i) => trials.knobs[knob.name][i]);
      return {knob, groups: groups.size, share: shareOf(groups, total)};
    })
    .filter((one) => one.groups > 1)
    .sort((a, b) => b.share - a.share);
}

/// One knob: a column per value with its trials, its median as a bar, the best's value marked.
function knobPicture(one, low, high, thinned) {
  const column = trials.knobs[one.knob.name];
  const used = [...new Set(measured.map((i) => column[i]))].filter((k) => k !== null).sort((a, b) => a - b);
  const width = 220,
    height = 132,
    top = 8,
    bottom = 104,
    left = 54;
  const slot = (width - left - 6) / used.length;
  const x = (k) => left + slot * (used.indexOf(k) + 0.5);
  const y = (seconds) => bottom - ((Math.log10(seconds) - low) / (high - low)) * (bottom - top);
  const medians = used.map((k) => median(measured.filter((i) => column[i] === k).map((i) => trials.seconds[i])));
  const texts = used.map((k) => one.knob.values[k]);
  const fits = texts.every((text) => textWidth(text, 10) < slot - 2);
  const scale = (seconds, at) =>
    svg('text', {class: 'rt-soft', 'font-size': 10, 'text-anchor': 'end', x: left - 4, y: at}, axisText(seconds));
  const said = texts.map((text, k) => `${text}: median ${figureText(medians[k])}`).join(', ');
  const picture = svg(
    'svg',
    {
      class: 'rt',
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `${ownFigure ? figureName : 'Time per call'} by ${one.knob.name}: ${said}`,
    },
    svg('rect', {class: 'rt-panel', x: left, y: top - 4, width: width - left - 2, height: bottom - top + 8}),
    scale(10 ** high, top + 6),
    scale(10 ** low, bottom + 3),
    svg('path', {
      d: dots(
        thinned
          .filter((i) => column[i] !== null)
          .map((i) => [x(column[i]) + jitter(i) * slot * 0.3, y(trials.seconds[i])]),
      ),
      stroke: 'var(--accent)',
      'stroke-width': 3,
      'stroke-linecap': 'round',
      fill: 'none',
      opacity: 0.45,
    }),
    ...used.map((k, at) =>
      svg(
        'path',
        {class: 'rt-path', 'stroke-width': 2, d: `M${x(k) - slot * 0.35} ${y(medians[at])}h${slot * 0.7}`},
        svg('title', {}, `${texts[at]}: median ${figureText(medians[at])}`),
      ),
    ),
    ...used.map((k, at) =>
      fits || k === (best !== undefined ? column[best] : null) || at === 0 || at + 1 === used.length
        ? svg(
            'text',
            {
              class: best !== undefined && column[best] === k ? 'rt-broken-text' : 'rt-soft',
              'font-size': 10,
              'font-weight': best !== undefined && column[best] === k ? 600 : null,
              'text-anchor': fits ? 'middle' : at === 0 ? 'start' : at + 1 === used.length ? 'end' : 'middle',
              x: fits ? x(k) : at === 0 ? left : at + 1 === used.length ? width - 4 : x(k),
              y: fits || at === 0 || at + 1 === used.length ? bottom + 16 : bottom + 27,
            },
            texts[at],
          )
        : null,
    ),
  );
  return html(
    'figure',
    {class: 'knob'},
    html(
      'figcaption',
      {},
      html('b', {}, one.knob.name),
      ' ',
      html('span', {class: 'sub'}, `${Math.round(100 * one.share)} % of the variance`),
      one.knob.doc ? html('span', {class: 'sub doc'}, one.knob.doc) : '',
    ),
    picture,
  );
}
const axisText = (seconds) => {
  if (ownFigure) return significant(figureOf(seconds), 2) + figureUnit;
  const unit = prefix(small, seconds);
  return significant(seconds / unit[0], 2) + ' ' + unit[1];
};
/// The same place for the same trial, within [-1, 1].
const jitter = (i) => ((i * 0.618034) % 1) * 2 - 1;

function knobsSection(host) {
  const ranked = rankedKnobs();
  if (!ranked.length) return;
  const logs = measured.map((i) => Math.log10(trials.seconds[i]));
  const low = logs.reduce((a, b) => Math.min(a, b)) - 0.03,
    high = logs.reduce((a, b) => Math.max(a, b)) + 0.03;
  const every = Math.max(1, Math.ceil(measured.length / 400));
  const thinned = measured.filter((i, k) => k % every === 0);
  const grid = html('div', {class: 'knobs'});
  const add = (some) => grid.append(...some.map((one) => knobPicture(one, low, high, thinned)));
  const first = innerWidth > 700 ? 8 : 4;
  add(ranked.slice(0, first));
  const more =
    ranked.length > first
      ? html(
          'button',
          {
            type: 'button',
            onclick: () => {
              add(ranked.slice(first));
              more.remove();
            },
          },
          `show ${ranked.length - first} more knobs`,
        )
      : null;
  host.replaceChildren(
    html('h2', {}, 'Knobs against time'),
    html(
      'p',
      {class: 'sub'},
      'Time per call of the trials by value, bar: median, bold: the best\u2019s value. ' +
        'A share of the variance is over the trials that the search chose, so that it is no proof.',
    ),
    grid,
    ...[more].filter(Boolean),
  );
  host.hidden = false;
}

/// Where the time went, as one bar; the race and what follows it are what is not a trial's.
function costPicture(host) {
  const cost = data.result.cost;
  const parts = [
    ['building', cost.waiting, '#0072b2'],
    ['validating', cost.validate, '#e69f00'],
    ['timing', cost.time, '#009e73'],
  ];
  const rest = cost.total - parts.reduce((sum, part) => sum + part[1], 0);
  if (rest > 0.01 * cost.total) parts.push(['else of trials', rest, '#cc79a7']);
  if (cost.wall > cost.total) parts.push(['preparing, races, counts', cost.wall - cost.total, '#999999']);
  const all = parts.reduce((sum, part) => sum + part[1], 0);
  const width = 600;
  let x = 0;
  const bar = svg(
    'svg',
    {
      class: 'rt',
      viewBox: `0 0 ${width} 22`,
      role: 'img',
      'aria-label': parts.map(([name, seconds]) => `${name} ${secondsText(seconds)}`).join(', '),
    },
    ...parts.map(([name, seconds, fill]) => {
      const wide = all > 0 ? (width * seconds) / all : 0;
      x += wide;
      return svg(
        'rect',
        {x: x - wide, y: 0, width: wide, height: 22, fill},
        svg('title', {}, `${name} ${secondsText(seconds)}`),
      );
    }),
  );
  host.append(
    html(
      'figure',
      {},
      bar,
      html(
        'figcaption',
        {class: 'key'},
        ...parts.map(([name, seconds, fill]) =>
          html(
            'span',
            {},
            svg('svg', {width: 12, height: 12, 'aria-hidden': 'true'}, svg('rect', {width: 12, height: 12, fill})),
            `${name} ${secondsText(seconds)}`,
          ),
        ),
      ),
    ),
  );
}

// One trial told in full, and the table of all.
const outcomeText = (i) => spoken(trials.outcomes[trials.outcome[i]]);
const gapText = (i) => (ok(i) && bound ? ratioText(trials.seconds[i] / bound) : '');
const nameOf = (i) =>
  `trial ${trials.index[i]}` + (i === best ? ', the best' : i === baseline ? ', the baseline' : '');

/// A command to type, with a button that copies it.
function commandFor(verb, i, option = '') {
  const text = data.commands[verb].replace('TRIAL', trials.index[i]) + option;
  const button = copyButton('copy', () => text);
  button.setAttribute('aria-label', 'copy ' + text);
  return html('span', {}, html('code', {}, text), button);
}

/// For hover and screen readers: a line each.
function trialText(i) {
  const first = ok(i)
    ? `${secondsInterval(i)}${bound ? ', ' + gapText(i) + ' the bound' : ''}`
    : `${outcomeText(i)}: ${trials.details[trials.detail[i]]}`;
  return `${nameOf(i)}\n${first}\n${differenceText(i)}`;
}

/// The contender of the result that a trial is; only those were raced and counted.
function contenderOf(i) {
  const result = data.result;
  return [result.best, result.baseline, ...result.ties].find(
    (one) => one && one.trial === trials.index[i],
  );
}

function tableOf(head, rows, classes) {
  return html(
    'div',
    {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': head.filter(Boolean).join(', ')},
    html(
      'table',
      {class: classes || 'slim'},
      html(
        'thead',
        {},
        html('tr', {}, ...head.map((text) => (text ? html('th', {scope: 'col'}, text) : html('td', {})))),
      ),
      html(
        'tbody',
        {},
        ...rows.map((row) =>
          html('tr', {}, ...row.map((cell, k) => (k ? html('td', {}, cell) : html('th', {scope: 'row'}, cell)))),
        ),
      ),
    ),
  );
}

/// What differs from baseline or best; the rest is a click away.
function knobTable(i) {
  const value = (other, name) => {
    if (other === undefined) return '';
    const at = trials.knobs[name][other];
    return at === null ? '' : knobs.find((knob) => knob.name === name).values[at];
  };
  const own = i === best || i === baseline;
  const shown = [...(recorded ? [] : [['baseline', baseline]]), ...(own ? [] : [['this trial', i]]), ['best', best]];
  const rows = knobs.map((knob) => [knob.name, ...shown.map(([, at]) => value(at, knob.name))]);
  const differs = rows.filter((row) => shown.length < 2 || new Set(row.slice(1)).size > 1);
  const same = rows.filter((row) => !differs.includes(row));
  return [
    differs.length
      ? tableOf(['knob', ...shown.map(([name]) => name)], differs)
      : html('p', {}, 'No knob differs from baseline and best.'),
    same.length
      ? html(
          'details',
          {},
          html('summary', {}, same.length === 1 ? '1 knob is the same' : `${same.length} knobs are the same`),
          tableOf(
            ['knob', 'value'],
            same.map((row) => [row[0], row[1]]),
          ),
        )
      : null,
  ];
}

/// Every sample on a line of time; hollow ones were disturbed.
function samplesPicture(i) {
  const samples = trials.samples[i];
  if (!samples || samples.length < 2) return null;
  const times = samples.map(Math.abs),
    low = Math.min(...times),
    high = Math.max(...times);
  const width = 320,
    x = (t) => 10 + (width - 20) * (high > low ? (t - low) / (high - low) : 0.5);
  return html(
    'figure',
    {},
    svg(
      'svg',
      {
        class: 'rt',
        viewBox: `0 0 ${width} 34`,
        width,
        height: 34,
        role: 'img',
        'aria-label': `${samples.length} timing samples from ${figureText(low)} to ${figureText(high)}`,
      },
      svg('path', {class: 'rt-axis', d: `M10 17H${width - 10}`}),
      ...samples.map((s) =>
        svg('circle', {
          cx: x(Math.abs(s)),
          cy: 17,
          r: 4,
          'stroke-width': 1.3,
          opacity: 0.7,
          class: s > 0 ? 'rt-trial' : 'rt-hollow rt-axis',
        }),
      ),
    ),
    html(
      'figcaption',
      {class: 'sub'},
      `${samples.length} samples, ${figureText(low)} to ${figureText(high)}${recorded ? '' : '; hollow: disturbed'}`,
    ),
  );
}

function countsOf(contender) {
  const bytes = (figure) =>
    figure === undefined
      ? 'not counted'
      : rateText(Array.isArray(figure) ? figure[0] : figure, 'B').replace('/s', '');
  const rows = Object.entries(contender.counts.traffic || {}).map(([level, moved]) => [
    level,
    bytes(moved.read),
    bytes(moved.write),
  ]);
  return rows.length ? tableOf(['counted at', 'read', 'written'], rows) : null;
}

function facts(entries, classes) {
  return html(
    'dl',
    {class: classes || ''},
    ...entries.filter((one) => one && one[1]).flatMap(([name, text]) => [html('dt', {}, name), html('dd', {}, text)]),
  );
}

function showTrial(host, i) {
  const contender = contenderOf(i);
  const gap = contender && contender.gap;
  const factor = (name) => `${name} ${gap[name] === null ? 'unknown' : significant(gap[name], 3)}`;
  const configuration = () =>
    Object.fromEntries(knobs.map((knob) => [knob.name, knob.values[trials.knobs[knob.name][i]]]));
  const detail = trials.details[trials.detail[i]];
  const again = ok(i) && data.commands.bench;
  const title = nameOf(i)[0].toUpperCase() + nameOf(i).slice(1);
  host.replaceChildren(
    html('h3', {tabindex: -1}, title),
    html(
      'div',
      {class: 'halves'},
      html(
        'div',
        {},
        facts([
          ok(i)
            ? [ownFigure ? 'its own figure' : 'its own time', secondsInterval(i) + (bound ? `, ${gapText(i)} the bound` : '')]
            : ['outcome', outcomeText(i)],
          ['detail', detail],
          ...Object.entries(trials.figures || {}).map(([name, values]) =>
            trials.index[i] in values ? [name, significant(values[trials.index[i]], 4)] : null,
          ),
          contender && contender.seconds && !recorded
            ? ['raced ' + (ownFigure ? 'figure' : 'time'), figureText(contender.seconds.value)]
            : null,
          gap
            ? [
                'gap when raced',
                `${ratioText(gap.total)} = ${factor('work')} x ${factor('traffic')} x ${factor('rate')}`,
              ]
            : null,
          gap && gap.unknown_because ? ['unknown because', gap.unknown_because] : null,
          [
            'cost',
            `${secondsText(trials.total[i])}: build ${secondsText(trials.build[i])}, validate ` +
              `${secondsText(trials.validate[i])}, time ${secondsText(trials.time[i])}`,
          ],
        ]),
        contender && contender.counts ? countsOf(contender) : null,
        samplesPicture(i),
        html(
          'p',
          {class: 'buttons'},
          copyButton('copy configuration', () => JSON.stringify(configuration(), null, 2)),
          copyButton('copy what differs', () => differenceText(i)),
        ),
        facts(
          [
            recorded ? null : ['its story', commandFor('explain', i)],
            i !== baseline && again ? ['what it changes in the source', commandFor('explain', i, ' --diff')] : null,
            again ? ['run it again beside the best', commandFor('bench', i)] : null,
            i === best && !recorded ? ['carry it into an application', commandFor('export', i)] : null,
          ],
          'commands',
        ),
      ),
      html('div', {}, ...knobTable(i)),
    ),
  );
}

/// Sorted by any column, filtered by words, a page at a time.
function trialTable(host, pin) {
  const columns = [
    ['trial', (i) => trials.index[i], (i) => String(trials.index[i]), 'n'],
    [
      figureName,
      (i) => (ok(i) ? trials.seconds[i] : Infinity),
      (i) => (ok(i) ? secondsInterval(i) : outcomeText(i)),
      'n',
    ],
    ...Object.entries(trials.figures || {}).map(([name, values]) => [
      name,
      (i) => values[trials.index[i]] ?? Infinity,
      (i) => (trials.index[i] in values ? significant(values[trials.index[i]], 4) : ''),
      'n',
    ]),
    ...(bound ? [['gap', (i) => (ok(i) ? trials.seconds[i] : Infinity), gapText, 'n']] : []),
    ['cost', (i) => trials.total[i], (i) => secondsText(trials.total[i]), 'n'],
    [
      recorded ? 'configuration' : 'what differs from the baseline',
      (i) => differenceText(i),
      (i) => differenceText(i) + (ok(i) ? '' : ' \u2014 ' + trials.details[trials.detail[i]].slice(0, 200)),
      'w',
    ],
  ];
  const step = 20;
  let by = 1,
    down = false,
    shown = step;
  const words = html('input', {
    type: 'search',
    'aria-label': 'Only trials with all of these words',
    placeholder: 'knob=value, outcome',
    oninput: () => {
      shown = step;
      fill();
    },
  });
  const said = html('output', {class: 'sub'}),
    body = html('tbody');
  const more = html(
    'button',
    {
      type: 'button',
      onclick: () => {
        shown += 5 * step;
        fill();
      },
    },
    'show more',
  );
  const heads = columns.map(([name, , , kind], k) =>
    html(
      'th',
      {scope: 'col', class: kind},
      html(
        'button',
        {
          type: 'button',
          class: 'plain',
          onclick: () => {
            down = by === k && !down;
            by = k;
            fill();
          },
        },
        name,
      ),
    ),
  );
  let searched = null;
  function matching() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!wanted.length) return [...trials.index.keys()];
    searched = searched || trials.index.map((_, i) => (columns.at(-1)[2](i) + ' ' + outcomeText(i)).toLowerCase());
    return [...trials.index.keys()].filter((i) => wanted.every((word) => searched[i].includes(word)));
  }
  function fill() {
    const key = columns[by][1];
    const keyed = matching().map((i) => [key(i), i]);
    keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]) * (down ? -1 : 1));
    heads.forEach((head, k) => put(head, {'aria-sort': k === by ? (down ? 'descending' : 'ascending') : 'none'}, []));
    body.replaceChildren(
      ...keyed
        .slice(0, shown)
        .map(([, i]) =>
          html(
            'tr',
            {class: i === best ? 'best' : ok(i) ? '' : 'failed'},
            ...columns.map(([name, , text, kind], k) =>
              k
                ? html('td', {class: kind, 'data-name': name}, text(i))
                : html(
                    'td',
                    {class: 'n', 'data-name': name},
                    html('button', {type: 'button', class: 'plain link', onclick: () => pin(i)}, text(i)),
                  ),
            ),
          ),
        ),
    );
    said.textContent = `${Math.min(shown, keyed.length)} of ${keyed.length} trials`;
    more.hidden = keyed.length <= shown;
  }
  host.replaceChildren(
    html('p', {class: 'row'}, words, said),
    html(
      'table',
      {class: 'trials'},
      html('caption', {class: 'quiet'}, 'Trials'),
      html('thead', {}, html('tr', {}, ...heads)),
      body,
    ),
    more,
  );
  fill();
}

function csv() {
  const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  };
  const figures = ['seconds', 'low', 'high', 'build', 'validate', 'time', 'total'];
  const head = ['trial', 'outcome', ...figures, 'detail', ...knobs.map((knob) => knob.name)];
  const rows = trials.index.map((index, i) => [
    index,
    trials.outcomes[trials.outcome[i]],
    ...figures.map((name) => trials[name][i]),
    trials.details[trials.detail[i]],
    ...knobs.map((knob) => knob.values[trials.knobs[knob.name][i]]),
  ]);
  return [head, ...rows].map((row) => row.map(cell).join(',')).join('\n') + '\n';
}
/// The result with its trials spelled out, as a program would want them.
function json() {
  const rows = trials.index.map((index, i) => ({
    trial: index,
    outcome: trials.outcomes[trials.outcome[i]],
    detail: trials.details[trials.detail[i]],
    seconds: ok(i) ? {value: trials.seconds[i], low: trials.low[i], high: trials.high[i]} : null,
    samples: trials.samples[i].map((s) => ({seconds: Math.abs(s), clean: s > 0})),
    configuration: Object.fromEntries(knobs.map((knob) => [knob.name, knob.values[trials.knobs[knob.name][i]]])),
  }));
  return JSON.stringify({...data.result, all_trials: rows}, null, 1);
}

// The trials of a study as its page keeps them: a list for each figure and each knob.
const trials = data.trials;
const knobs = data.knobs;
const count = trials.index.length;
const OK = trials.outcomes.indexOf('ok');
const bound = data.result.bound ? data.result.bound.seconds : null;

/// By another tuner: no study stands behind it, to be asked or run again.
const recorded = Boolean(data.result.recording);

const ok = (i) => trials.outcome[i] === OK && trials.seconds[i] !== null;
const measured = [];
for (let i = 0; i < count; ++i) if (ok(i)) measured.push(i);
const place = new Map(trials.index.map((index, i) => [index, i]));
const best = data.result.best ? place.get(data.result.best.trial) : undefined;
const baseline = data.result.baseline ? place.get(data.result.baseline.trial) : undefined;

function secondsInterval(i) {
  const [factor, name] = ownFigure ? [1, figureUnit.trim()] : prefix(small, trials.seconds[i]);
  const text = (value) => significant(ownFigure ? figureOf(value) : value / factor, 4);
  const ends = [trials.low[i], trials.high[i]].map(text);
  if (ownFigure && ownFigure.more) ends.reverse();
  return `${text(trials.seconds[i])} ${name}${recorded ? '' : ` [${ends.join(', ')}]`}`;
}

/// The values of a trial that differ from another's: [knob, its value, the other's].
function differences(i, other) {
  const found = [];
  for (const knob of knobs) {
    const column = trials.knobs[knob.name];
    const theirs = other === undefined ? knob.values.indexOf(knob.default) : column[other];
    if (column[i] !== null && column[i] !== theirs)
      found.push([knob.name, knob.values[column[i]], theirs === null ? '' : knob.values[theirs]]);
  }
  return found;
}
function differenceText(i) {
  const found = differences(i, baseline).map((one) => one[0] + '=' + one[1]);
  return found.length ? found.join(' ') : 'the baseline';
}

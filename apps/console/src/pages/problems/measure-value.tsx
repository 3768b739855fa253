import type { ProblemRow } from '../../api/operations.js';
import { formatDuration } from '../../format/market-time.js';
import { Absent, Amount, Day, MarketTime } from '../../ui/values.js';
import { measureOf, type FigureForm } from './problem-figures.js';

/** A figure as its form needs. A text of an event is shown as it is. */
export function FigureValue({
  form,
  value,
}: {
  readonly form: FigureForm;
  readonly value: string | undefined;
}) {
  if (value === undefined) return <Absent />;
  switch (form) {
    case 'amount':
      return (
        <span>
          <Amount value={value} /> <span className="hint">AUD</span>
        </span>
      );
    case 'day':
      return <Day value={value.slice(0, 10)} />;
    case 'market-time':
      // Times of the market have no zone.
      return value.length === 10 ? <Day value={value} /> : <MarketTime at={`${value.slice(0, 19)}+08:00`} />;
    case 'instant':
      return <MarketTime at={value} />;
    case 'seconds':
      return formatDuration(Number(value) * 1_000);
    case 'number':
      return value.replace(/\.0+$/, '');
    case 'text':
      return <span className="problem-text">{value}</span>;
  }
}

/** The figure that decides how bad a problem is: now, and the worst that an event announced when that was worse. */
export function MeasureCell({ problem }: { readonly problem: ProblemRow }) {
  const measure = measureOf(problem);
  if (measure === undefined) return <Absent />;
  const { label, form, now, worst } = measure;
  const show = (value: string | undefined) => (form === 'amount' ? <Amount value={value} /> : `${value}`);
  return (
    <span title={label}>
      {problem.endedAt === undefined && now !== undefined ? show(now) : show(worst ?? now)}
      <span className="hint"> {form === 'amount' ? 'AUD' : label.toLowerCase()}</span>
      {problem.endedAt === undefined && worst !== undefined && (
        <span className="problems-worst">worst announced {show(worst)}</span>
      )}
    </span>
  );
}

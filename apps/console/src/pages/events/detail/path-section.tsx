import { formatDuration } from '../../../format/market-time.js';
import { Section } from '../../../ui/page.js';
import { MarketTime } from '../../../ui/values.js';
import { totalMs, type PathStep } from './event-path.js';

/** When the event was where. */
export function PathSection({ steps }: { readonly steps: readonly PathStep[] }) {
  const total = totalMs(steps);
  return (
    <Section
      title="Path of the event"
      aside={total !== undefined && total >= 0 && <span className="hint">{formatSpan(total)} in all</span>}
    >
      <ol className="event-path">
        {steps.map((step) => (
          <li key={step.name} className={`event-step event-step-${step.state}`}>
            <span className="event-step-name">{step.name}</span>
            <span className="event-step-time">
              {step.at === undefined ? (
                <span className="hint">{step.instead ?? 'not known'}</span>
              ) : (
                <MarketTime at={step.at} short />
              )}
              {step.afterMs !== undefined && <span className="hint">{describeSpan(step.afterMs)}</span>}
            </span>
            <span className="event-step-meaning">{step.meaning}</span>
          </li>
        ))}
      </ol>
      {steps.some(({ at, state }) => at === undefined && state === 'done') && (
        <p className="hint">The times of the steps without one are not stored.</p>
      )}
    </Section>
  );
}

function describeSpan(ms: number): string {
  return ms < 0 ? `${formatSpan(-ms)} earlier: two clocks differ` : `+${formatSpan(ms)}`;
}

function formatSpan(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : formatDuration(ms);
}

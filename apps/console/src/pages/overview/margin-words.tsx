import type { ParticipantPosition, PresentPosition } from '../../api/operations.js';
import { formatDuration } from '../../format/market-time.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { Amount, Day, MarketTime, useNow, useToday } from '../../ui/values.js';
import { describeDays, lookAhead } from './margin-outlook.js';

const LEVELS: Readonly<Record<NonNullable<PresentPosition['level']>, readonly [Tone, string]>> = {
  OK: ['good', 'OK'],
  WARNING: ['warning', 'WARNING'],
  BREACHED: ['critical', 'BREACHED'],
};

export function Level({ value }: { readonly value: PresentPosition['level'] }) {
  const [tone, text] = value === undefined ? (['muted', 'level unknown'] as const) : LEVELS[value];
  return <Badge tone={tone}>{text}</Badge>;
}

/** The usual `position.staleAfter`. A shorter one opens a problem. */
const OLD_MS = 26 * 3_600_000;

interface CalculationAgeProps {
  readonly latest: PresentPosition | undefined;
  readonly staleSince: string | undefined;
}

/** How old the last calculation is, marked when that is too old. */
export function CalculationAge({ latest, staleSince }: CalculationAgeProps) {
  const now = useNow();
  if (latest === undefined) return null;
  const ageMs = now - Date.parse(latest.calculatedAt);
  const text = `calculated ${formatDuration(ageMs)} ago`;
  return (
    <span className="overview-age">
      {staleSince !== undefined || ageMs > OLD_MS ? <Badge tone="warning">old: {text}</Badge> : text}
      <span className="hint">
        {' '}
        at <MarketTime at={latest.calculatedAt} />
      </span>
    </span>
  );
}

/** What the forecasts of the operator say about a breach. */
export function Outlook({ position }: { readonly position: ParticipantPosition }) {
  const { latest, forecasts } = position;
  const outlook = lookAhead(forecasts, latest?.thresholds, useToday());
  switch (outlook.kind) {
    case 'unknown':
      return (
        <p className="overview-outlook">
          <Badge tone="muted">no forecast</Badge>
        </p>
      );
    case 'clear':
      return (
        <p className="overview-outlook">
          <Badge tone="good">no breach forecast</Badge> until <Day value={outlook.until} />
        </p>
      );
    case 'warning':
      return (
        <p className="overview-outlook">
          <Badge tone="warning">warning forecast {describeDays(outlook.inDays)}</Badge>{' '}
          <Day value={outlook.day} />: <Amount value={outlook.margin} />. No breach forecast until{' '}
          <Day value={outlook.until} />.
        </p>
      );
    case 'breach':
      return (
        <p className="overview-outlook">
          <Badge tone="critical">breach forecast {describeDays(outlook.inDays)}</Badge>{' '}
          <Day value={outlook.day} />: <Amount value={outlook.margin} />
        </p>
      );
  }
}

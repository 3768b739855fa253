import type { ParticipantPosition, PresentPosition } from '../../../api/operations.js';
import { describeDistance } from '../../../format/days-left.js';
import { formatDuration } from '../../../format/market-time.js';
import { Badge, type Tone } from '../../../ui/badge.js';
import { Absent, Amount, Day, useNow, useToday } from '../../../ui/values.js';
import { lookAhead, type MarginOutlook } from './margin-outlook.js';

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
  if (latest === undefined) return <Absent />;
  const ageMs = now - Date.parse(latest.calculatedAt);
  const text = `${formatDuration(ageMs)} ago`;
  return staleSince !== undefined || ageMs > OLD_MS ? <Badge tone="warning">old: {text}</Badge> : text;
}

/** What the forecasts of the operator say about a breach. */
export function useOutlook({ latest, forecasts }: ParticipantPosition): MarginOutlook {
  return lookAhead(forecasts, latest?.thresholds, useToday());
}

/** An outlook in a few words. */
export function OutlookBadge({ outlook }: { readonly outlook: MarginOutlook }) {
  const today = useToday();
  switch (outlook.kind) {
    case 'unknown':
      return <Badge tone="muted">no forecast</Badge>;
    case 'clear':
      return <Badge tone="good">no breach in the forecast</Badge>;
    case 'warning':
      return <Badge tone="warning">warning forecast {describeDistance(outlook.day, today)}</Badge>;
    case 'breach':
      return <Badge tone="critical">breach forecast {describeDistance(outlook.day, today)}</Badge>;
  }
}

/** An outlook with its days and figures. */
export function Outlook({ position }: { readonly position: ParticipantPosition }) {
  const outlook = useOutlook(position);
  const { kind } = outlook;
  return (
    <p className="overview-outlook">
      <OutlookBadge outlook={outlook} />
      {kind === 'clear' && (
        <>
          {' '}
          It reaches to <Day value={outlook.until} />.
        </>
      )}
      {(kind === 'warning' || kind === 'breach') && (
        <>
          {' '}
          <Day value={outlook.day} />: <Amount value={outlook.margin} />
        </>
      )}
      {kind === 'warning' && (
        <>
          . No breach until <Day value={outlook.until} />, where the forecast ends.
        </>
      )}
    </p>
  );
}

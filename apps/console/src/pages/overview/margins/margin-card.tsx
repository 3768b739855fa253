import type { CSSProperties } from 'react';
import type { MarginThresholds, ParticipantPosition, PresentPosition } from '../../../api/operations.js';
import { formatAmount, isNegative, withoutSign } from '../../../format/amount.js';
import { Badge } from '../../../ui/badge.js';
import { Amount, MarketTime } from '../../../ui/values.js';
import { toGauge } from './margin-gauge.js';
import { MarginHistory } from './margin-history.js';
import { CalculationAge, Level, Outlook } from './margin-words.js';
import type { Range } from './ranges.js';

interface MarginCardProps {
  readonly position: ParticipantPosition;
  readonly range: Range;
  /** Since when the operator has published no new calculation for longer than allowed. */
  readonly staleSince: string | undefined;
}

/** The margin of one participant now, against its thresholds, with its past and its forecast. */
export function MarginCard({ position, range, staleSince }: MarginCardProps) {
  const { participant, latest } = position;
  return (
    <article
      className={`section overview-margin overview-level-${latest?.level ?? 'UNKNOWN'}`}
      aria-label={participant}
    >
      <div className="overview-margin-body">
        <div className="overview-margin-figures">
          <header className="overview-margin-header">
            <h3>{participant}</h3>
            <Level value={latest?.level} />
            {latest && (
              <p className="overview-age">
                calculated <CalculationAge latest={latest} staleSince={staleSince} />, at{' '}
                <MarketTime at={latest.calculatedAt} />
              </p>
            )}
          </header>
          {latest?.tradingMargin === undefined ? (
            <p className="overview-no-margin">No trading margin has been calculated yet.</p>
          ) : (
            <Figure latest={latest} margin={latest.tradingMargin} />
          )}
          <Outlook position={position} />
        </div>
        <MarginHistory participant={participant} range={range} />
      </div>
    </article>
  );
}

function Figure({
  latest: { thresholds },
  margin,
}: {
  readonly latest: PresentPosition;
  readonly margin: string;
}) {
  const size = { '--digits': formatAmount(margin).length } as CSSProperties;
  return (
    <>
      <p className="overview-figure" style={size}>
        <span className="overview-figure-name">Trading margin now, AUD</span>
        <Amount value={margin} />
      </p>
      {thresholds === undefined ? (
        <Badge tone="warning">thresholds unknown</Badge>
      ) : (
        <>
          <GaugeBar margin={margin} thresholds={thresholds} />
          <dl className="overview-headroom">
            <Headroom name="warning" threshold={thresholds.warning} headroom={thresholds.headroomToWarning} />
            <Headroom name="breach" threshold={thresholds.breach} headroom={thresholds.headroomToBreach} />
          </dl>
        </>
      )}
    </>
  );
}

interface HeadroomProps {
  readonly name: string;
  readonly threshold: string;
  readonly headroom: string | undefined;
}

function Headroom({ name, threshold, headroom }: HeadroomProps) {
  if (headroom === undefined) return null;
  const isBelow = isNegative(headroom);
  return (
    <div className={isBelow ? 'overview-below' : undefined}>
      <dt>
        {isBelow ? 'Below' : 'Above'} {name} ({formatAmount(threshold)})
      </dt>
      <dd>
        {isBelow && <span aria-hidden="true">▼ </span>}
        <Amount value={withoutSign(headroom)} />
      </dd>
    </div>
  );
}

/** The figures beside it say the same. */
function GaugeBar({
  margin,
  thresholds,
}: {
  readonly margin: string;
  readonly thresholds: MarginThresholds;
}) {
  const gauge = toGauge(margin, thresholds);
  const places = {
    '--breach': `${gauge.breach}%`,
    '--warning-at': `${gauge.warning}%`,
    '--margin': `${gauge.margin}%`,
  } as CSSProperties;
  return (
    <div className="overview-gauge" style={places} aria-hidden="true">
      <span className="overview-gauge-breach" />
      <span className="overview-gauge-warning" />
      <span className="overview-gauge-good" />
      <span className="overview-gauge-marker" />
    </div>
  );
}

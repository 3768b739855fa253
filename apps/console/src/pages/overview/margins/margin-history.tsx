import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get, type ApiError } from '../../../api/api-client.js';
import type { ParticipantPosition } from '../../../api/operations.js';
import { REFRESH_MS } from '../../../api/queries.js';
import { formatAmount, formatShort } from '../../../format/amount.js';
import { formatDay } from '../../../format/market-time.js';
import { LineChart } from '../../../ui/line-chart.js';
import { Content } from '../../../ui/page.js';
import { Amount, MarketTime, useClock } from '../../../ui/values.js';
import { describeMarginChart } from './describe-margin-chart.js';
import { forecastsOf, lowestOf, readingsOf, toMarginChart, type MarginSeries } from './margin-chart.js';
import { beginningOf, type Range } from './ranges.js';

const POINTS = 300;

/** The curve of the margin, and the forecast of the operator. */
export function MarginHistory({
  participant,
  range,
}: {
  readonly participant: string;
  readonly range: Range;
}) {
  const since = useClock((now) => beginningOf(range, now));
  const query = { participant: [participant], since: new Date(since).toISOString(), points: POINTS };
  const history = useQuery<History, ApiError>({
    queryKey: ['/v1/positions', {}, query, 'history'],
    queryFn: async ({ signal }) => {
      const { items } = await get('/v1/positions', { query, signal });
      return { position: items[0], range, since, now: Date.now() };
    },
    refetchInterval: REFRESH_MS,
    // The times of the chart come with its data, so that those of another range stay right until it is read.
    placeholderData: keepPreviousData,
  });
  return (
    <Content of={history} what={`the margins of ${participant}`}>
      {({ position, ...times }) => position && <MarginChart position={position} {...times} />}
    </Content>
  );
}

interface Times {
  readonly range: Range;
  readonly since: number;
  readonly now: number;
}

interface History extends Times {
  readonly position: ParticipantPosition | undefined;
}

interface MarginChartProps extends Times {
  readonly position: ParticipantPosition;
}

function MarginChart({ position, range, since, now }: MarginChartProps) {
  const series: MarginSeries = useMemo(
    () => ({
      since,
      now,
      calculated: position.calculated,
      forecasts: position.forecasts,
      thresholds: position.latest?.thresholds,
    }),
    [position, since, now],
  );
  const data = useMemo(() => toMarginChart(series), [series]);
  if (data.lines.every(({ points }) => points.length === 0))
    return <p className="empty">No calculation within {range.label}.</p>;
  const lowest = lowestOf(series);
  return (
    <div className="overview-history">
      {lowest && (
        <p className="hint">
          Lowest in {range.label}: <Amount value={lowest.margin} /> <MarketTime at={lowest.at} />
        </p>
      )}
      <LineChart
        label={describeMarginChart(position.participant, range, series)}
        data={data}
        formatValue={formatShort}
        table={() => <MarginTable participant={position.participant} series={series} />}
      />
    </div>
  );
}

/** More rows than a person reads: the newest are shown. */
const MAX_ROWS = 200;

function MarginTable({
  participant,
  series,
}: {
  readonly participant: string;
  readonly series: MarginSeries;
}) {
  const readings = readingsOf(series);
  return (
    <div
      className="table-frame overview-chart-table"
      role="region"
      tabIndex={0}
      aria-label={`Margins of ${participant}`}
    >
      <table className="table">
        <caption className="visually-hidden">{`Margins of ${participant}, forecasts first, then the newest`}</caption>
        <thead>
          <tr>
            <th scope="col">Calculated, or day of the forecast</th>
            <th scope="col" className="number">
              Margin
            </th>
          </tr>
        </thead>
        <tbody>
          {forecastsOf(series).map(({ tradingDay, margin }) => (
            <tr key={tradingDay}>
              <td data-header="Forecast for">forecast for {formatDay(tradingDay)}</td>
              <td data-header="Margin" className="number">
                <Amount value={margin} />
              </td>
            </tr>
          ))}
          {readings
            .slice(-MAX_ROWS)
            .toReversed()
            .map(({ at, margin }) => (
              <tr key={at}>
                <td data-header="Calculated">
                  <MarketTime at={at} />
                </td>
                <td data-header="Margin" className="number">
                  <Amount value={margin} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {readings.length > MAX_ROWS && (
        <p className="hint">{formatAmount(String(readings.length - MAX_ROWS))} earlier ones are left out.</p>
      )}
    </div>
  );
}

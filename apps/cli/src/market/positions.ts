import { standardOutput, StyledText, type Style } from '@ssb/platform/cli';
import type { ApiClient, QueryOf } from '../api/api-client.js';
import { checkParticipants } from '../api/visible-participants.js';
import type { MarginThresholds, ParticipantPosition, PresentPosition } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { printListing, readRows, writeEmpty } from '../output/listing.js';
import { countOf, renderFields, renderParts, showAge, showAmount, showTime } from '../output/text.js';
import { absoluteOf, AMOUNTS_NOTE, isBelow, isNegative, lowestOf } from './amounts.js';

type Query = QueryOf<'/v1/positions'>;

export interface PositionsOptions extends ListOptions, Pick<Query, 'participant' | 'since' | 'until'> {
  readonly points?: string;
}

export function showPositions(options: PositionsOptions): Promise<void> {
  const { participant, since, until, points, output, limit, cursor } = options;
  // The API refuses other texts.
  const query = { participant, since, until, points: points as unknown as number | undefined };
  return withApi(options, async (api) => {
    if (output !== 'table')
      return printListing(api, '/v1/positions', { query, columns: [], empty: '' }, options);
    await checkParticipants(api, participant);
    const { items, next } = await readRows(api, '/v1/positions', query, { limit, cursor });
    if (items.length === 0) return writeEmpty(api, 'No positions match.');
    const stale = await readStale(api, participant);
    const now = Date.now();
    standardOutput.writeLine(
      renderParts([
        ...items.map((each) => ['', renderPosition(each, stale.get(each.participant), now)] as const),
        ['', AMOUNTS_NOTE],
      ]),
    );
    if (next !== undefined)
      standardOutput.writeLine(`There are more: raise --limit, or continue with --cursor ${next}`);
  });
}

/** Since when the positions of participants are too old, by participant. */
async function readStale(
  api: ApiClient,
  participant: readonly string[] | undefined,
): Promise<ReadonlyMap<string, string>> {
  const range = { limit: 1_000, cursor: undefined };
  const { items } = await readRows(api, '/v1/problems', { kind: ['position-stale'], participant }, range);
  return new Map(items.map((each) => [each.participant, each.since]));
}

const STYLES = { OK: 'good', WARNING: 'warning', BREACHED: 'bad' } as const satisfies Record<string, Style>;

function renderPosition(
  position: ParticipantPosition,
  staleSince: string | undefined,
  now: number,
): StyledText {
  const { participant, latest, forecasts } = position;
  const lowest = lowestOf(forecasts, (each) => each.tradingMargin);
  const lines = [
    describeMargin(participant, latest, staleSince),
    ...(lowest === undefined ? [] : describeForecast(lowest.tradingMargin, latest?.thresholds)),
  ];
  return StyledText.join([...lines, renderFigures(position, now)], '\n');
}

/** The answer to whether the margin is fine. */
function describeMargin(
  participant: string,
  latest: PresentPosition | undefined,
  staleSince: string | undefined,
): StyledText {
  const level = latest?.level;
  if (latest?.tradingMargin === undefined)
    return StyledText.of(`${participant}: no trading margin has been calculated yet.`, 'warning');
  const margin = showAmount(latest.tradingMargin);
  if (level === undefined)
    return StyledText.of(
      `${participant} has a margin of ${margin}. Its thresholds are unknown: neither a margin event nor CONFIG_FILE of the API has them.`,
      'warning',
    );
  const figures = `its margin of ${margin}${describeDistances(latest)}`;
  if (staleSince !== undefined)
    return StyledText.of(
      `${participant} is not known: no calculation since ${showTime(latest.calculatedAt)}, when ${figures}.`,
      level === 'BREACHED' ? 'bad' : 'warning',
    );
  const verdict = { OK: 'is fine', WARNING: 'is at the level WARNING', BREACHED: 'is BREACHED' }[level];
  return StyledText.of(`${participant} ${verdict}: ${figures}.`, STYLES[level]);
}

function describeDistances({ level, thresholds }: PresentPosition): string {
  if (thresholds === undefined) return '';
  const { warning, breach, headroomToWarning, headroomToBreach } = thresholds;
  const parts = [
    ...(level === 'BREACHED' ? [] : [describeDistance(headroomToWarning, 'warning', warning)]),
    ...(level === 'OK' ? [] : [describeDistance(headroomToBreach, 'breach', breach)]),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` is ${parts.join(' and ')}`;
}

function describeDistance(headroom: string | undefined, name: string, threshold: string): string | undefined {
  if (headroom === undefined) return undefined;
  const side = isNegative(headroom) ? 'below' : 'above';
  return `${showAmount(absoluteOf(headroom))} ${side} the ${name} threshold of ${showAmount(threshold)}`;
}

/** A sentence when a forecast is below a threshold. */
function describeForecast(
  margin: string | undefined,
  thresholds: MarginThresholds | undefined,
): readonly StyledText[] {
  if (isBelow(margin, thresholds?.breach) === true)
    return [StyledText.of('A forecast is below the breach threshold.', 'bad')];
  return isBelow(margin, thresholds?.warning) === true
    ? [StyledText.of('A forecast is below the warning threshold.', 'warning')]
    : [];
}

function renderFigures(position: ParticipantPosition, now: number): StyledText {
  const { latest, forecasts, calculated, since, leftOut } = position;
  const forecast = lowestOf(forecasts, (each) => each.tradingMargin);
  const lowest = lowestOf(calculated, (each) => each.minimum);
  const thresholds = latest?.thresholds;
  return renderFields([
    ['margin', showAmount(latest?.tradingMargin)],
    ['level', latest?.level, latest?.level && STYLES[latest.level]],
    ['warning below', thresholds && describeThreshold(thresholds.warning, thresholds.headroomToWarning)],
    ['breach below', thresholds && describeThreshold(thresholds.breach, thresholds.headroomToBreach)],
    [
      'thresholds',
      thresholds &&
        (thresholds.source === 'event' ? 'those of the latest alert' : 'those of the configuration file'),
    ],
    ['outstanding', showAmount(latest?.outstandingAmount)],
    ['credit support', showAmount(latest?.creditSupport)],
    ['trading limit', showAmount(latest?.tradingLimit)],
    ['trading day', latest?.tradingDay],
    ['calculated', latest && describeAge(latest.calculatedAt, now)],
    ['lowest forecast', forecast && `${showAmount(forecast.tradingMargin)} on ${forecast.tradingDay}`],
    [
      'lowest margin',
      lowest && `${showAmount(lowest.minimum)} at ${showTime(lowest.minimumAt)}, since ${showTime(since)}`,
    ],
    [
      'left out',
      leftOut === undefined ? undefined : `${countOf(leftOut, 'calculation')} that cannot be read`,
      'warning',
    ],
  ]);
}

function describeThreshold(threshold: string, headroom: string | undefined): string {
  if (headroom === undefined) return showAmount(threshold);
  const side = isNegative(headroom) ? 'short of' : 'above';
  return `${showAmount(threshold)} (the margin is ${showAmount(absoluteOf(headroom))} ${side} it)`;
}

const describeAge = (time: string, now: number): string =>
  `${showTime(time)} (${showAge((now - Date.parse(time)) / 1_000)} ago)`;

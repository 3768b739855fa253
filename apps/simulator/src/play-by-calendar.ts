import { dateOf, toInstant, type MarketDate } from '@ssb/market';
import { playByCalendar, type TimedPublication } from './domain/market-day.js';
import type { Publication } from './domain/publication.js';
import type { EndlessScenario } from './domain/scenario.js';
import type { Stage } from './stage/stage.js';

/** How many records are loaded together: some megabytes, far below what the door takes. */
const MOST_RECORDS_TOGETHER = 300;

/**
 * A market from its first day on, each publication at its moment; at infinite speed in bulk and without waiting. What is there
 * already from an earlier play of the same seed stays as it is.
 */
export async function playByTheCalendar(
  scenario: EndlessScenario,
  stage: Stage & { from: MarketDate },
  signal: AbortSignal,
): Promise<void> {
  const { participants, market, from, until, log, speed } = stage;
  const publications = playByCalendar({ scenario, participants, seed: market.seed, from, until });
  if (speed === Infinity) await inBulk(publications, stage, signal);
  else await inTime(publications, stage, signal);
  log.info({ step: 'finished', from, until }, 'finished');
}

async function inTime(
  publications: Iterable<TimedPublication>,
  { clock, publisher }: Stage,
  signal: AbortSignal,
): Promise<void> {
  for (const { at, publication } of publications) {
    await clock.wait(Math.max(0, toInstant(at).getTime() - clock.now().getTime()), signal);
    await publisher.publish(publication, signal);
  }
}

async function inBulk(
  publications: Iterable<TimedPublication>,
  { publisher }: Stage,
  signal: AbortSignal,
): Promise<void> {
  let batch: Publication[] = [];
  let records = 0;
  let first: MarketDate | undefined;
  let last: MarketDate | undefined;
  const send = async (): Promise<void> => {
    if (batch.length > 0) await publisher.publishTogether(`${first} to ${last}`, batch, signal);
    batch = [];
    records = 0;
    first = undefined;
  };
  for (const { at, publication } of publications) {
    if (records + publication.lines.length > MOST_RECORDS_TOGETHER) await send();
    batch.push(publication);
    records += publication.lines.length;
    last = dateOf(at);
    first ??= last;
  }
  await send();
}

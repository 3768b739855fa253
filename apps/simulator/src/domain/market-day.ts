import { addDays, parseMarketDateTime, toInstant, type MarketDate, type MarketDateTime } from '@ssb/market';
import { calendarOf, type CalendarRun } from './calendar.js';
import { invoiceIdOf } from './invoice-id.js';
import {
  forecastPublication,
  invoicePublication,
  marginDetailsPublication,
  marginPublication,
  statementDetailsPublication,
  statementPublication,
  timelinePublication,
  type RunStamp,
} from './publications.js';
import type { Publication } from './publication.js';
import type { EndlessScenario } from './scenario.js';
import { timelineOf } from './settlement-run.js';
import { forecastAt, marginAt } from './wave.js';

/** A market that is played by its calendar. */
export interface CalendarPlay {
  scenario: EndlessScenario;
  participants: readonly string[];
  seed: string;
  /** The first market day. */
  from: MarketDate;
  /** The last one; without it the play has no end. */
  until?: MarketDate | undefined;
}

/** A publication and its moment on the market's clock. */
export interface TimedPublication {
  at: MarketDateTime;
  publication: Publication;
}

/** When a day's statements and invoices begin to come out, and its timeline; market time. */
const TIMELINE_AT = '07:00';
const STATEMENTS_AT = '10:00';
const INVOICES_AT = '14:00';

/**
 * Everything that the market publishes, day after day in order of time. It depends on the play alone, so the same play gives the
 * same bytes; nothing is made before it is asked for.
 */
export function* playByCalendar(play: CalendarPlay): Generator<TimedPublication, void> {
  let calendar: CalendarRun[] = [];
  for (let day = play.from; play.until === undefined || day <= play.until; day = addDays(day, 1)) {
    const announces = day === play.from || weekdayOf(day) === 1;
    // The calendar reaches six weeks ahead: made anew once a week, it holds all that becomes due until the next time.
    if (announces) calendar = calendarOf({ ...play.scenario.settlement, backlogWeeks: 0 }, play.from, day);
    const today = [
      ...(announces ? timeline(calendar, day) : []),
      ...positions(play, day),
      ...settlements(play, calendar, day),
    ];
    yield* today.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }
}

/** The cycles that still have a statement to come: those whose runs are all stated were announced before and stay. */
function timeline(calendar: readonly CalendarRun[], day: MarketDate): TimedPublication[] {
  const key = ({ period }: CalendarRun): string => `${period.marketService} ${period.from}`;
  const open = new Set(calendar.filter(({ statementDate }) => statementDate >= day).map(key));
  const runs = calendar.filter((run) => open.has(key(run)));
  return [{ at: moment(day, TIMELINE_AT), publication: timelinePublication(timelineOf(runs)) }];
}

/** Each of the day's calculations; the first with forecasts, the last with what it rests on. */
function positions({ scenario, participants, seed }: CalendarPlay, day: MarketDate): TimedPublication[] {
  const { book, details } = scenario;
  const { wave, calculations, forecastDays } = scenario.positions;
  const times = [...calculations].sort();
  return participants.flatMap((participant) =>
    times.flatMap((time, index) => {
      const position = positionNumber(day, times.length) + index;
      const at = moment(day, time);
      const tradingMargin = marginAt(wave, position, seed, participant);
      const order = { participant, calculatedAt: at, tradingDay: day, tradingMargin, book };
      const made = [marginPublication(order)];
      if (index === 0 && forecastDays > 0) {
        const coming = Array.from({ length: forecastDays }, (_, ahead) => ({
          tradingDay: addDays(day, ahead + 1),
          tradingMargin: forecastAt(
            wave,
            position + (ahead + 1) * times.length,
            ahead + 1,
            seed,
            participant,
          ),
        }));
        made.push(forecastPublication(participant, at, coming, book));
      }
      if (index === times.length - 1 && details.prudential) made.push(marginDetailsPublication(order, seed));
      return made.map((publication) => ({ at, publication }));
    }),
  );
}

/** The statements and invoices that the calendar has for the day, a second apart. */
function settlements(
  { scenario, participants, seed }: CalendarPlay,
  calendar: readonly CalendarRun[],
  day: MarketDate,
): TimedPublication[] {
  const days = scenario.details.tradingDays;
  const stated = calendar.filter(({ statementDate }) => statementDate === day);
  const statements = stated.flatMap((run, index) => {
    const at = moment(day, STATEMENTS_AT, index);
    const stamp = stampAt(at);
    return participants.flatMap((participant) => {
      const order = { participant, run, seed, stamp };
      const made = [statementPublication(order)];
      if (days > 0) made.push(statementDetailsPublication(order, days));
      return made.map((publication) => ({ at, publication }));
    });
  });
  const invoiced = calendar.filter(({ invoiceDate }) => invoiceDate === day);
  const invoices = invoiced.flatMap((run, index) => {
    const at = moment(day, INVOICES_AT, index);
    const stamp = stampAt(at);
    return participants.map((participant) => {
      const id = invoiceIdOf(participant, run);
      return { at, publication: invoicePublication({ participant, run, seed, stamp }, { id }) };
    });
  });
  return [...statements, ...invoices];
}

/** Seconds since 1970: later runs have higher ids, and the int32 of document 000 holds them until 2038. */
function stampAt(publishedAt: MarketDateTime): RunStamp {
  return { publishedAt, runId: Math.floor(toInstant(publishedAt).getTime() / 1_000) };
}

function moment(day: MarketDate, time: string, seconds = 0): MarketDateTime {
  const minutes = Math.floor(seconds / 60);
  const [hour = '00', minute = '00'] = time.split(':');
  const at = String(Number(minute) + minutes).padStart(2, '0');
  return parseMarketDateTime(`${day}T${hour}:${at}:${String(seconds % 60).padStart(2, '0')}`);
}

/** Counted from one fixed day, so that a day has the same figures whenever a play began. */
function positionNumber(day: MarketDate, perDay: number): number {
  const days = Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000);
  return days * perDay;
}

function weekdayOf(day: MarketDate): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

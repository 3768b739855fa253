import fc from 'fast-check';
import {
  addDays,
  dateOf,
  isMarketDate,
  isMarketDateTime,
  toMarketDateTime,
  toMarketDate,
  parseMarketDate,
  parseMarketDateTime,
  startOfDay,
  toInstant,
} from './market-time.js';

const DAY_MS = 86_400_000;
const instant = fc.date({
  min: new Date('1970-01-02T00:00:00Z'),
  max: new Date('2999-12-30T00:00:00Z'),
  noInvalidDate: true,
});
/** Market dates from the platform's calendar. */
const date = instant.map((day) => parseMarketDate(day.toISOString().slice(0, 10)));

/** The time in Perth from the zone database; the code under test adds eight hours. */
const perth = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Australia/Perth',
  dateStyle: 'short',
  timeStyle: 'medium',
});
/** Perth last had summer time in March 2009; market time has none. */
const sinceSummerTime = fc.date({
  min: new Date('2009-04-01T00:00:00Z'),
  max: new Date('2099-12-30T00:00:00Z'),
  noInvalidDate: true,
});

describe('market time', () => {
  it('is the time in Perth', () => {
    fc.assert(
      fc.property(sinceSummerTime, (now) => {
        expect(toMarketDateTime(now)).toBe(perth.format(now).replace(' ', 'T'));
      }),
    );
  });

  it('has the precision of a second and converts back to the instant', () => {
    fc.assert(
      fc.property(instant, (now) => {
        const seconds = Math.floor(now.getTime() / 1_000) * 1_000;
        expect(toInstant(toMarketDateTime(now)).getTime()).toBe(seconds);
        expect(toMarketDate(now)).toBe(dateOf(toMarketDateTime(now)));
      }),
    );
  });

  it('accepts every existing day and no other', () => {
    const part = (max: number): fc.Arbitrary<string> =>
      fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
    const year = fc.integer({ min: 1, max: 9_999 }).map((n) => String(n).padStart(4, '0'));
    fc.assert(
      fc.property(year, part(14), part(33), part(26), part(62), (y, month, day, hour, minute) => {
        const text = `${y}-${month}-${day}`;
        // Date changes a day that does not exist into another one.
        const rolled = new Date(0);
        rolled.setUTCFullYear(Number(y), Number(month) - 1, Number(day));
        const exists = Number(month) >= 1 && rolled.toISOString().slice(0, 10) === text;
        expect(isMarketDate(text)).toBe(exists);
        const real = exists && Number(hour) < 24 && Number(minute) < 60;
        expect(isMarketDateTime(`${text}T${hour}:${minute}:00`)).toBe(real);
      }),
      { numRuns: 300 },
    );
  });
});

describe('market dates', () => {
  it('are as many days apart as were added', () => {
    fc.assert(
      fc.property(date, fc.integer({ min: -20_000, max: 20_000 }), (from, days) => {
        const to = addDays(from, days);
        expect(isMarketDate(to)).toBe(true);
        expect(toInstant(to).getTime() - toInstant(from).getTime()).toBe(days * DAY_MS);
        expect(addDays(to, -days)).toBe(from);
      }),
    );
  });

  it('begin at midnight in market time', () => {
    fc.assert(
      fc.property(date, (day) => {
        expect(dateOf(startOfDay(day))).toBe(day);
        expect(toInstant(startOfDay(day))).toEqual(toInstant(day));
        expect(toInstant(day).toISOString().slice(11)).toBe('16:00:00.000Z');
        const lastSecond = parseMarketDateTime(`${day}T23:59:59.999`);
        expect(toMarketDate(toInstant(lastSecond))).toBe(day);
        expect(toMarketDate(new Date(toInstant(lastSecond).getTime() + 1))).toBe(addDays(day, 1));
      }),
    );
  });
});

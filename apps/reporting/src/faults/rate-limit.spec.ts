import fc from 'fast-check';
import { evaluateRateLimit } from './rate-limit.js';

const MINUTE = 60_000;

describe('the limits of a minute and of five minutes', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 120 });
  const limits = fc.record({
    perMinute: fc.integer({ min: 1, max: 8 }),
    perFiveMinutes: fc.integer({ min: 1, max: 20 }),
  });

  it('are never exceeded, refuse no request that fits, and allow the next one after the wait', () => {
    fc.assert(
      fc.property(limits, steps, (rule, pauses) => {
        const passed: number[] = [];
        const within = (now: number, length: number) =>
          passed.filter((moment) => moment > now - length).length;
        let past: readonly number[] = [];
        let now = 1_000_000;
        for (const pause of pauses) {
          now += pause;
          const verdict = evaluateRateLimit(rule, past, now);
          past = verdict.past;
          const fits = within(now, MINUTE) < rule.perMinute && within(now, 5 * MINUTE) < rule.perFiveMinutes;
          expect(verdict.allowed).toBe(fits);
          if (verdict.allowed) passed.push(now);
          else expect(evaluateRateLimit(rule, past, now + verdict.waitMs).allowed).toBe(true);
          expect(past.length).toBeLessThanOrEqual(rule.perFiveMinutes);
        }
      }),
    );
  });
});

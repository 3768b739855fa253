import { waitFor } from '@ssb/testing';
import type { AppProcess } from '@ssb/tools';
import type { RunningBus } from '../harness/running-bus.js';
import type { Sender } from './sender.js';

/** Something that is ended, and starts again. */
export interface Fault {
  readonly what: string;
  readonly strike: () => Promise<void>;
}

const LONGEST_WAIT_MS = 120_000;

/** Each process is killed once; the engine is restarted once gently and once not; so is Redis gently where it keeps but rights and sessions. */
export function allFaults({ gateways, brokers, engine, redis }: RunningBus): Fault[] {
  const faults: Fault[] = [
    ...gateways.map(({ process }) => killed(process)),
    ...brokers.map(killed),
    { what: 'the engine restarted', strike: () => engine.restart() },
    {
      what: 'the engine killed',
      strike: async () => {
        await engine.kill();
        await engine.start();
      },
    },
  ];
  return engine === redis ? faults : [...faults, { what: 'Redis restarted', strike: () => redis.restart() }];
}

function killed(process: AppProcess): Fault {
  return {
    what: `${process.name} killed`,
    strike: async () => {
      await process.kill();
      await process.start();
    },
  };
}

/**
 * Spreads the faults over the messages, so that each strikes in the middle of the traffic.
 * @throws Error when the senders get nowhere, with what each met last; RangeError when a fault came after the last message
 */
export async function strikeBetween(
  faults: readonly Fault[],
  senders: readonly Sender[],
  messages: number,
): Promise<void> {
  const taken = (): number => senders.reduce((sum, sender) => sum + sender.taken, 0);
  for (const [at, { what, strike }] of faults.entries()) {
    const mark = ((at + 1) * messages) / (faults.length + 2);
    await waitFor(
      () =>
        `message ${mark} before ${what}, with ${taken()} of ${messages} taken; last errors: ${senders
          .map(({ name, trouble }) => `${name}: ${trouble}`)
          .join('; ')}`,
      () => taken() >= mark,
      LONGEST_WAIT_MS,
    );
    await strike();
  }
  if (taken() >= messages) throw new RangeError('the last fault struck after the last message');
}

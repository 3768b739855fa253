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
const MESSAGES_BETWEEN_FAULTS = 50;

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
 * Injects the faults one after the other, each when enough messages have been taken since the last one, and returns when enough have been
 * taken after all of them.
 * @throws Error when the senders get nowhere, with the last error of each
 */
export async function injectInTurn(faults: readonly Fault[], senders: readonly Sender[]): Promise<void> {
  const taken = (): number => senders.reduce((sum, sender) => sum + sender.taken, 0);
  const errors = (): string => senders.map(({ name, fault }) => `${name}: ${fault}`).join('; ');
  for (const { what, strike } of [...faults, { what: 'the end', strike: async () => undefined }]) {
    const mark = taken() + MESSAGES_BETWEEN_FAULTS;
    await waitFor(
      () => `message ${mark} before ${what}, with ${taken()} taken; last errors: ${errors()}`,
      () => taken() >= mark,
      LONGEST_WAIT_MS,
    );
    await strike();
  }
}

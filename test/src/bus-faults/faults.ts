import { waitFor } from '@ssb/testing';
import type { AppProcess } from '@ssb/tools';
import type { RunningBus } from '../harness/running-bus.js';
import type { Sender } from './sender.js';

/** The end and restart of a process or server. */
export interface Fault {
  readonly name: string;
  readonly inject: () => Promise<void>;
}

const PROGRESS_TIMEOUT_MS = 120_000;
const MESSAGES_BETWEEN_FAULTS = 12;

/** Every process is killed, and the engine is restarted and killed. Redis is restarted too where it is not the engine. */
export function createFaults({ gateways, brokers, engine, redis }: RunningBus): Fault[] {
  const faults: Fault[] = [
    ...gateways.map(({ process }) => createKill(process)),
    ...brokers.map(createKill),
    { name: 'engine restart', inject: () => engine.restart() },
    {
      name: 'engine kill',
      inject: async () => {
        await engine.kill();
        await engine.start();
      },
    },
  ];
  return engine === redis ? faults : [...faults, { name: 'Redis restart', inject: () => redis.restart() }];
}

function createKill(process: AppProcess): Fault {
  return {
    name: `kill of ${process.name}`,
    inject: async () => {
      await process.kill();
      await process.start();
    },
  };
}

/**
 * Injects the faults one after the other. Before each fault and after the last one, it waits for further accepted messages.
 * @throws Error with the last error of each sender when no messages are accepted
 */
export async function injectFaults(faults: readonly Fault[], senders: readonly Sender[]): Promise<void> {
  const countAccepted = (): number => senders.reduce((sum, sender) => sum + sender.accepted, 0);
  const errors = (): string => senders.map(({ name, lastError }) => `${name}: ${lastError}`).join('; ');
  const waitForProgress = async (next: string): Promise<void> => {
    const target = countAccepted() + MESSAGES_BETWEEN_FAULTS;
    await waitFor(
      () => `message ${target} before ${next}, with ${countAccepted()} accepted; last errors: ${errors()}`,
      () => countAccepted() >= target,
      PROGRESS_TIMEOUT_MS,
    );
  };
  for (const { name, inject } of faults) {
    await waitForProgress(name);
    await inject();
  }
  await waitForProgress('the end');
}

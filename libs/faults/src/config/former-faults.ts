import { ALL_PARTICIPANTS, type AlertTopic } from '@ssb/events';
import type { FaultReporter } from '../fault-reporter.js';
import { findParticipant, listChannels, type OperatorConfig, type OperatorConfigFile } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import { PeriodicTask } from '@ssb/net';

/** Between two checks for faults of participants and channels that CONFIG_FILE does not name. */
export const FORMER_FAULTS_INTERVAL_MS = 60_000;

/**
 * Ends the faults of participants and channels that CONFIG_FILE does not name any more, because no check ends them.
 * @param topics of lasting faults
 * @param channelsOf the channels that a fault of this topic can have
 */
export function endFormerFaults(
  topics: readonly AlertTopic[],
  config: OperatorConfig,
  channelsOf: (topic: AlertTopic) => readonly string[],
  faults: Pick<FaultReporter, 'clear' | 'forget'>,
): void {
  for (const topic of topics) {
    const { participant, channel } = topic;
    const isParticipantNamed =
      participant === ALL_PARTICIPANTS || findParticipant(config, participant) !== undefined;
    if (isParticipantNamed && (channel === undefined || channelsOf(topic).includes(channel))) continue;
    faults.clear(topic);
    // Once: another replica reports the fault if the file names its topic again.
    faults.forget(topic);
  }
}

/** Ends former faults of an app whose alerts travel on the queue: at the start, at each change of the file, and regularly. */
export function createFormerFaultsTask(
  file: Pick<OperatorConfigFile, 'current' | 'observe'>,
  reporting: {
    readonly reporter: Pick<FaultReporter, 'clear' | 'forget'>;
    listLastingTopics(): Promise<readonly AlertTopic[]>;
  },
  log: Logger,
): PeriodicTask {
  const task = new PeriodicTask(
    async () => {
      const topics = await reporting.listLastingTopics();
      const config = file.current();
      endFormerFaults(topics, config, () => listChannels(config), reporting.reporter);
    },
    FORMER_FAULTS_INTERVAL_MS,
    (err) => log.error({ err }, 'fault state read failed'),
  );
  file.observe({ onApplied: () => task.wake() });
  return task;
}

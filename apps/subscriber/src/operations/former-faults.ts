import type { SqlSession } from '@ssb/database';
import { ALL_PARTICIPANTS, type AlertTopic } from '@ssb/events';
import type { FaultReporter } from '@ssb/operational-alerts';
import { findParticipant, listChannels, listReadChannels, type OperatorConfig } from '@ssb/operator-config';
import { listLastingTopics } from './fault-table.js';

/** Ends the faults of participants and channels that CONFIG_FILE does not name any more, because no check ends them. */
export async function endFormerFaults(
  session: SqlSession,
  config: OperatorConfig,
  faults: Pick<FaultReporter, 'clear' | 'forget'>,
): Promise<void> {
  for (const topic of await listLastingTopics(session)) {
    if (isNamed(topic, config)) continue;
    faults.clear(topic);
    // Once: another replica reports the fault if the file names its topic again.
    faults.forget(topic);
  }
}

function isNamed({ reason, participant, channel }: AlertTopic, config: OperatorConfig): boolean {
  const channels = reason === 'heartbeat-missing' ? listChannels(config) : listReadChannels(config);
  const isParticipantNamed =
    participant === ALL_PARTICIPANTS || findParticipant(config, participant) !== undefined;
  return isParticipantNamed && (channel === undefined || channels.includes(channel));
}

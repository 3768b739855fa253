import {
  ALL_PARTICIPANTS,
  endsFormerAlert as endsAlertOfFormer,
  findForeignAttribute,
  validateDetectedEvent,
  type DetectedEvent,
} from '@ssb/events';
import { findParticipant, findRoute, HEARTBEAT_TYPE, isIgnored } from './lookup.js';
import type { OperatorConfig } from './schema.js';

/** Whether an event only ends an alert about a participant that the configuration does not name, because it named it before. */
export function endsFormerAlert(
  config: Pick<OperatorConfig, 'participants'>,
  event: Pick<DetectedEvent, 'type' | 'participant'>,
): boolean {
  return endsAlertOfFormer(event, (code) => findParticipant(config, code) !== undefined);
}

/** Whether the configuration names the participant. `*` stands for all of them in events about the bridge itself. */
export function isConfiguredParticipant(
  config: OperatorConfig,
  { type, participant }: Pick<DetectedEvent, 'type' | 'participant'>,
): boolean {
  if (participant === ALL_PARTICIPANTS) return type.startsWith('settlementbus.bridge.');
  return findParticipant(config, participant) !== undefined;
}

const MAX_CODE_LENGTH = 60;

/** Why no event of the participant is published; undefined when the configuration names it, or the event ends an alert. */
export function findParticipantProblem(
  config: OperatorConfig,
  event: Pick<DetectedEvent, 'type' | 'participant'>,
): string | undefined {
  if (isConfiguredParticipant(config, event) || endsFormerAlert(config, event)) return undefined;
  const code = JSON.stringify(String(event.participant).slice(0, MAX_CODE_LENGTH));
  return `CONFIG_FILE has no participant ${code}`;
}

/** Why the configuration does not allow to publish an event that is not signed yet; undefined when it does. */
export function findEventProblem(config: OperatorConfig, value: unknown): string | undefined {
  const verdict = validateDetectedEvent(value);
  if (!verdict.ok)
    return verdict.reason === 'schema'
      ? `the event does not match its schema: ${verdict.problems.slice(0, MAX_PROBLEMS).join('; ')}`
      : 'the event has no known type';
  const { event } = verdict;
  const problem = findParticipantProblem(config, event);
  if (problem !== undefined) return problem;
  // A source cannot contain an unpaired surrogate.
  if (/\p{Surrogate}/u.test(event.participant)) return 'the participant is not valid UTF-8';
  const foreign = findForeignAttribute(event);
  if (foreign !== undefined) return `the event does not have the ${foreign} of its fact`;
  if (event.type === HEARTBEAT_TYPE) return 'a heartbeat has no value later';
  if (findRoute(config, event.type) === undefined && !isIgnored(config, event.type))
    return `CONFIG_FILE has no route for ${event.type}`;
  return undefined;
}

const MAX_PROBLEMS = 5;

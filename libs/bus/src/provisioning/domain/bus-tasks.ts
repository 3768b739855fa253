import type { Channel, Topic } from '../../gateway/channel.js';
import type { Enrolment } from '../../gateway/identity.js';
import { findMissing, type ChannelDefinition } from './channels.js';

/** Something that is left to do before the bridge can use a bus. */
export interface BusTask {
  readonly what:
    | 'set-identity'
    | 'enrol'
    | 'approve-role'
    | 'create-channel'
    | 'set-topics'
    | 'permit-publisher'
    | 'permit-subscriber';
  /** A channel, a DID or the name of a gateway. */
  readonly subject: string;
  /** One sentence. */
  readonly detail: string;
  /** The topics with their schemas, of `create-channel` and `set-topics`. */
  readonly topics?: readonly Topic[];
}

export interface GatewayResponses {
  /** Absent without an identity. */
  readonly enrolment?: Enrolment;
  /** Absent before the enrolment. */
  readonly channels?: readonly Channel[];
}

export interface RequiredGateway {
  readonly side: 'publisher' | 'subscriber';
  readonly userRole: string;
  readonly channels: readonly ChannelDefinition[];
}

/** Whether the bus accepts the gateway as a user; another role may still await its issuer. */
export function isEnrolled({ state }: Enrolment): boolean {
  return state.ready || state.roles.user === 'APPROVED';
}

/** What a gateway and its bus lack, as far as the gateway shows it. */
export function findGatewayTasks(responses: GatewayResponses, required: RequiredGateway): BusTask[] {
  const { enrolment, channels: listed } = responses;
  if (enrolment === undefined || listed === undefined) {
    const unseen = required.channels.map((channel) => createTask(channel, 'unless it exists; '));
    return [identityTask(enrolment, required), ...unseen];
  }
  return required.channels.flatMap((channel) => {
    const existing = listed.find(({ fqcn }) => fqcn === channel.fqcn);
    return existing === undefined
      ? [createTask(channel, 'if it exists, permit these DIDs; ')]
      : findChannelTasks(existing, channel, enrolment.did, required.side);
  });
}

function identityTask(enrolment: Enrolment | undefined, { side, userRole }: RequiredGateway): BusTask {
  const gateway = `gateway of the ${side}`;
  if (enrolment === undefined)
    return {
      what: 'set-identity',
      subject: gateway,
      detail: 'The gateway has no private key: mount one, or send POST /api/v1/config/identity.',
    };
  const { did, state } = enrolment;
  return state.roles.user === 'AWAITING_APPROVAL'
    ? { what: 'approve-role', subject: did, detail: `The ${gateway} waits for the role ${userRole}.` }
    : {
        what: 'enrol',
        subject: did,
        detail: `The ${gateway} has not requested the role ${userRole}: run this command with --enrol.`,
      };
}

function createTask(channel: ChannelDefinition, condition: string): BusTask {
  const { fqcn, topics, publishers, subscribers, maxMsgSize } = channel;
  const size = maxMsgSize === undefined ? '' : `; maxMsgSize at least ${maxMsgSize}`;
  const names = topics.map(({ namespace }) => namespace).join(', ');
  return {
    what: 'create-channel',
    subject: fqcn,
    detail: `${condition}topics ${names}; publishers ${publishers.join(', ') || 'not known yet'}; subscribers ${subscribers.join(', ') || 'not known yet'}${size}`,
    topics,
  };
}

function findChannelTasks(
  existing: Channel,
  channel: ChannelDefinition,
  did: string,
  side: RequiredGateway['side'],
): BusTask[] {
  const { fqcn } = channel;
  const missing = findMissing(existing, channel);
  const tasks: BusTask[] = [];
  // Some gateways list channels without their topics.
  if (missing.topics.length > 0 && (existing.topics ?? []).length > 0)
    tasks.push({
      what: 'set-topics',
      subject: fqcn,
      detail: `missing, or with another schema: ${missing.topics.map(({ namespace }) => namespace).join(', ')}`,
      topics: missing.topics,
    });
  const members = existing[`${side}s`] ?? [];
  const isPermitted =
    // Whether the gateway holds a role that is a member is not known.
    members.some((member) => !member.startsWith('did:')) || !missing[`${side}s`].includes(did);
  if (!isPermitted)
    tasks.push({ what: `permit-${side}`, subject: fqcn, detail: `add ${did} to its ${side}s` });
  return tasks;
}

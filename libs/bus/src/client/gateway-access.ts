import type { Channel } from '../gateway/channel.js';
import type { Enrolment } from '../gateway/identity.js';
import type { GatewayClient } from './gateway-client.js';
import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from './gateway-errors.js';

export type GatewayPermission = 'publish' | 'subscribe';

/** What a client of the gateway needs. */
export interface RequiredAccess {
  readonly channels: readonly string[];
  readonly permission: GatewayPermission;
  /** Topics that the channels need. Default: none is checked. */
  readonly topics?: readonly { readonly channel: string; readonly topic: string }[];
}

export type GatewayAccessReason =
  | 'gateway-unreachable'
  | 'gateway-credentials-refused'
  | 'gateway-not-enrolled'
  | 'channel-not-permitted';

export interface GatewayAccessSubject {
  readonly reason: GatewayAccessReason;
  readonly channel?: string;
}

export interface GatewayAccessProblem extends GatewayAccessSubject {
  /** One sentence, without secrets. */
  readonly detail: string;
  /** Only some topics of the channel are concerned, so the app stays ready. */
  readonly isPartial?: boolean;
}

/** What the gateway clearly refuses, and what it clearly permits. A subject in neither list is unknown. */
export interface GatewayAccess {
  readonly problems: readonly GatewayAccessProblem[];
  readonly confirmed: readonly GatewayAccessSubject[];
  /** Why the gateway did not check the user yet. */
  readonly postponed?: string;
}

export type GatewayResponse<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

export interface GatewayResponses {
  readonly health: GatewayResponse<void>;
  /** Absent when the gateway has no connection to the bus. */
  readonly channels?: GatewayResponse<readonly Channel[]>;
  /** Absent when the gateway refused the user. */
  readonly enrolment?: GatewayResponse<Enrolment>;
}

/** Reads health, channels and enrolment (document 002), and evaluates the responses. Never rejects. */
export async function readGatewayAccess(
  client: Pick<GatewayClient, 'health' | 'channels' | 'enrolment'>,
  required: RequiredAccess,
): Promise<GatewayAccess> {
  const health = await settle(client.health());
  if (findOutage(health) !== undefined) return evaluateGatewayAccess({ health }, required);
  const channels = await settle(client.channels());
  // After a wrong password, the gateway would count a second failure.
  const enrolment = isUserRefused(channels) ? undefined : await settle(client.enrolment());
  return evaluateGatewayAccess({ health, channels, ...(enrolment && { enrolment }) }, required);
}

async function settle<T>(request: Promise<T>): Promise<GatewayResponse<T>> {
  try {
    return { ok: true, value: await request };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Only a clear response is a problem, because gateways differ in what they leave out. */
export function evaluateGatewayAccess(responses: GatewayResponses, required: RequiredAccess): GatewayAccess {
  const { health, channels, enrolment } = responses;
  const outage = findOutage(health) ?? (channels && findOutage(channels));
  if (outage !== undefined) return refused({ reason: 'gateway-unreachable', detail: outage });
  const reached: GatewayAccessSubject[] = [{ reason: 'gateway-unreachable' }];
  const postponed = [channels, enrolment].map(findPostponement).find((each) => each !== undefined);
  if (postponed !== undefined) return { problems: [], confirmed: reached, postponed };
  const user =
    findRefusedUser(channels) ?? (isUserAccepted(channels) ? undefined : findRefusedUser(enrolment));
  if (user !== undefined) return refused({ reason: 'gateway-credentials-refused', detail: user }, reached);
  const identity = findUnenrolledIdentity(enrolment, channels);
  const isUserKnown = channels?.ok === true || enrolment?.ok === true || identity !== undefined;
  if (isUserKnown) reached.push({ reason: 'gateway-credentials-refused' });
  if (identity !== undefined) return refused({ reason: 'gateway-not-enrolled', detail: identity }, reached);
  if (isUserKnown) reached.push({ reason: 'gateway-not-enrolled' });
  if (!channels?.ok) return { problems: [], confirmed: reached };
  return evaluateChannels(channels.value, enrolment, required, reached);
}

function refused(problem: GatewayAccessProblem, confirmed: GatewayAccessSubject[] = []): GatewayAccess {
  return { problems: [problem], confirmed };
}

function evaluateChannels(
  listed: readonly Channel[],
  enrolment: GatewayResponse<Enrolment> | undefined,
  { channels, permission, topics = [] }: RequiredAccess,
  reached: readonly GatewayAccessSubject[],
): GatewayAccess {
  const did = enrolment?.ok ? enrolment.value.did : undefined;
  const problems: GatewayAccessProblem[] = [];
  const confirmed = [...reached];
  for (const channel of channels) {
    const subject = { reason: 'channel-not-permitted', channel } as const;
    const found = listed.find(({ fqcn }) => fqcn === channel);
    const detail =
      found === undefined ? findMissingChannel(listed, channel) : findMissingRight(found, did, permission);
    const needed = topics.filter((each) => each.channel === channel);
    const missingTopic = found && findMissingTopic(found, needed);
    if (detail !== undefined) problems.push({ ...subject, detail });
    else if (missingTopic !== undefined) problems.push({ ...subject, detail: missingTopic, isPartial: true });
    else if (found !== undefined) confirmed.push(subject);
  }
  return { problems, confirmed };
}

/** Document 002 requires no field of a channel; a list with unnamed channels shows nothing about the others. */
function findMissingChannel(listed: readonly Channel[], channel: string): string | undefined {
  if (listed.some(({ fqcn }) => fqcn === undefined)) return undefined;
  return `The gateway does not list the channel ${channel}.`;
}

/** An omitted or empty list permits every holder of the user role. Roles are not compared, because the gateway does not name its own. */
function findMissingRight(
  channel: Channel,
  did: string | undefined,
  permission: GatewayPermission,
): string | undefined {
  const list = permission === 'publish' ? 'publishers' : 'subscribers';
  const members = channel[list] ?? [];
  if (did === undefined || members.length === 0 || members.some((member) => !member.startsWith('did:')))
    return undefined;
  if (members.some((member) => addressPart(member) === addressPart(did))) return undefined;
  return `The ${list} of the channel ${channel.fqcn} do not include the gateway's identity ${did}.`;
}

/** Some gateways respond to a message for a missing topic as if their broker were unreachable. A channel may be listed without its topics. */
function findMissingTopic(
  { fqcn, topics = [] }: Channel,
  needed: readonly { readonly topic: string }[],
): string | undefined {
  if (topics.length === 0) return undefined;
  const missing = needed.find(({ topic }) => !topics.some(({ namespace }) => namespace === topic));
  return missing && `The channel ${fqcn} has no topic ${missing.topic}.`;
}

/** DIDs of one address can have different methods, and addresses are compared without case. */
function addressPart(did: string): string {
  return did.slice(did.lastIndexOf(':') + 1).toLowerCase();
}

/** No response, or no connection from the gateway to its broker. */
function findOutage(response: GatewayResponse<unknown>): string | undefined {
  if (response.ok) return undefined;
  const { error } = response;
  if (error instanceof GatewayUnreachableError) return describe(error);
  return statusOf(error) >= 500 ? describe(error) : undefined;
}

/** Too many attempts with a wrong password: the gateway checks no password for a while. */
function findPostponement(response: GatewayResponse<unknown> | undefined): string | undefined {
  if (response === undefined || response.ok || statusOf(response.error) !== 429) return undefined;
  return describe(response.error);
}

/** Kinds that concern the identity of the gateway on the bus, not the user of the gateway. */
const IDENTITY_KINDS: readonly unknown[] = [
  'LOGIN_FAILED',
  'CHANNEL_UNAUTHORIZED',
  'TOPIC_UNAUTHORIZED',
  'NO_PRIVATE_KEY',
  'NOT_ENROLED',
  'NO_BALANCE',
];
/** Prefixes of errors of the bus and of the identity, whatever their kind. */
const IDENTITY_PREFIX = /^(BUS|DSB|ID)::/;

/** Document 002 uses 401 also for the login at the broker, and 403 for an identity without enrolment. */
function findRefusedUser(response: GatewayResponse<unknown> | undefined): string | undefined {
  if (response === undefined || response.ok) return undefined;
  const { error } = response;
  const status = statusOf(error);
  if (status === 401 && !concernsIdentity(error))
    return `The gateway refuses the user or password (${describeCode(error)}).`;
  // The prefix of the gateway's own checks, before the operation.
  const isOwnCheck = !(error instanceof GatewayError) || error.code.startsWith('REQ::');
  if (status === 403 && isOwnCheck) return `The gateway refuses the rights of the user: ${describe(error)}`;
  return undefined;
}

/** The gateway evaluates its identity only after the user. A user of messages alone may be refused the enrolment. */
function isUserAccepted(channels: GatewayResponse<unknown> | undefined): boolean {
  return channels !== undefined && (channels.ok || concernsIdentity(channels.error));
}

function isUserRefused(response: GatewayResponse<unknown>): boolean {
  return findRefusedUser(response) !== undefined || findPostponement(response) !== undefined;
}

function findUnenrolledIdentity(
  enrolment: GatewayResponse<Enrolment> | undefined,
  channels: GatewayResponse<unknown> | undefined,
): string | undefined {
  if (enrolment?.ok) {
    const { did, state } = enrolment.value;
    // Another wanted role may still await its issuer.
    if (!state.ready && state.roles.user !== 'APPROVED')
      return `The gateway's identity ${did} is not enrolled: its user role is ${state.roles.user}.`;
  } else if (enrolment && isKind(enrolment.error, 'NO_PRIVATE_KEY')) return 'The gateway has no identity.';
  if (channels === undefined || channels.ok) return undefined;
  const refused = [channels, enrolment].find(
    (response) => response?.ok === false && concernsIdentity(response.error),
  );
  return refused?.ok === false
    ? `The bus does not accept the gateway's identity: ${describe(refused.error)}`
    : undefined;
}

/** Whether the gateway refuses a request because of its identity: its balance, enrolment or rights on the bus. */
function concernsIdentity(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { status, kind, code } = error;
  return status === 403 || IDENTITY_KINDS.includes(kind) || (status === 401 && IDENTITY_PREFIX.test(code));
}

function isKind(error: unknown, kind: string): boolean {
  return error instanceof GatewayError && error.kind === kind;
}

/** Status of an error response; 0 without one. */
function statusOf(error: unknown): number {
  return error instanceof GatewayError || error instanceof InvalidGatewayResponseError ? error.status : 0;
}

function describeCode(error: unknown): string {
  return error instanceof GatewayError ? `${error.status} ${error.code}` : String(statusOf(error));
}

const MAX_DETAIL_LENGTH = 300;

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_DETAIL_LENGTH);
}

/** Whether a failed request is a reason to read the access again. */
export function concernsAccess(error: unknown): boolean {
  if (error instanceof GatewayUnreachableError || concernsIdentity(error)) return true;
  return [401, 403, 502, 503].includes(statusOf(error));
}

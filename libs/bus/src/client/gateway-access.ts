import type { Channel } from '../gateway/channel.js';
import type { Enrolment } from '../gateway/identity.js';
import type { GatewayClient } from './gateway-client.js';
import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from './gateway-errors.js';

export type GatewayPermission = 'publish' | 'subscribe';

/** What a client of the gateway needs. */
export interface RequiredAccess {
  readonly channels: readonly string[];
  readonly permission: GatewayPermission;
}

export type GatewayAccessReason =
  | 'gateway-unreachable'
  | 'gateway-credentials-refused'
  | 'gateway-not-enrolled'
  | 'channel-not-permitted';

export interface GatewayAccessTopic {
  readonly reason: GatewayAccessReason;
  readonly channel?: string;
}

export interface GatewayAccessProblem extends GatewayAccessTopic {
  /** One sentence, without secrets. */
  readonly detail: string;
}

/** What the gateway clearly refuses, and what it clearly permits. A topic in neither list is unknown. */
export interface GatewayAccess {
  readonly problems: readonly GatewayAccessProblem[];
  readonly confirmed: readonly GatewayAccessTopic[];
  /** Why the gateway did not check the user yet. */
  readonly postponed?: string;
}

export type GatewayAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

export interface GatewayAnswers {
  readonly health: GatewayAnswer<void>;
  /** Absent when the gateway has no connection to the bus. */
  readonly channels?: GatewayAnswer<readonly Channel[]>;
  /** Absent when the gateway refused the user. */
  readonly enrolment?: GatewayAnswer<Enrolment>;
}

/** Reads health, channels and enrolment (document 002), and evaluates the answers. Never rejects. */
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

async function settle<T>(request: Promise<T>): Promise<GatewayAnswer<T>> {
  try {
    return { ok: true, value: await request };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Only a clear answer is a problem, because gateways differ in what they leave out. */
export function evaluateGatewayAccess(answers: GatewayAnswers, required: RequiredAccess): GatewayAccess {
  const { health, channels, enrolment } = answers;
  const outage = findOutage(health) ?? (channels && findOutage(channels));
  if (outage !== undefined) return refused({ reason: 'gateway-unreachable', detail: outage });
  const reached: GatewayAccessTopic[] = [{ reason: 'gateway-unreachable' }];
  const postponed = [channels, enrolment].map(findPostponement).find((each) => each !== undefined);
  if (postponed !== undefined) return { problems: [], confirmed: reached, postponed };
  const user = findRefusedUser(channels) ?? (channels?.ok ? undefined : findRefusedUser(enrolment));
  if (user !== undefined) return refused({ reason: 'gateway-credentials-refused', detail: user }, reached);
  const identity = findUnenrolledIdentity(enrolment, channels);
  const isUserKnown = channels?.ok === true || enrolment?.ok === true || identity !== undefined;
  if (isUserKnown) reached.push({ reason: 'gateway-credentials-refused' });
  if (identity !== undefined) return refused({ reason: 'gateway-not-enrolled', detail: identity }, reached);
  if (isUserKnown) reached.push({ reason: 'gateway-not-enrolled' });
  if (!channels?.ok) return { problems: [], confirmed: reached };
  return evaluateChannels(channels.value, enrolment, required, reached);
}

function refused(problem: GatewayAccessProblem, confirmed: GatewayAccessTopic[] = []): GatewayAccess {
  return { problems: [problem], confirmed };
}

function evaluateChannels(
  listed: readonly Channel[],
  enrolment: GatewayAnswer<Enrolment> | undefined,
  { channels, permission }: RequiredAccess,
  reached: readonly GatewayAccessTopic[],
): GatewayAccess {
  const did = enrolment?.ok ? enrolment.value.did : undefined;
  const problems: GatewayAccessProblem[] = [];
  const confirmed = [...reached];
  for (const channel of channels) {
    const topic = { reason: 'channel-not-permitted', channel } as const;
    const found = listed.find(({ fqcn }) => fqcn === channel);
    const detail =
      found === undefined ? findMissingChannel(listed, channel) : findMissingRight(found, did, permission);
    if (detail !== undefined) problems.push({ ...topic, detail });
    else if (found !== undefined) confirmed.push(topic);
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

/** DIDs of one address can have different methods, and addresses are compared without case. */
function addressPart(did: string): string {
  return did.slice(did.lastIndexOf(':') + 1).toLowerCase();
}

/** No answer, or no connection from the gateway to its broker. */
function findOutage(answer: GatewayAnswer<unknown>): string | undefined {
  if (answer.ok) return undefined;
  const { error } = answer;
  if (error instanceof GatewayUnreachableError) return describe(error);
  return statusOf(error) >= 500 ? describe(error) : undefined;
}

/** Too many attempts with a wrong password: the gateway checks no password for a while. */
function findPostponement(answer: GatewayAnswer<unknown> | undefined): string | undefined {
  if (answer === undefined || answer.ok || statusOf(answer.error) !== 429) return undefined;
  return describe(answer.error);
}

/** Kinds of 401 that concern the identity of the gateway on the bus, not the user of the gateway. */
const IDENTITY_KINDS: readonly unknown[] = ['LOGIN_FAILED', 'CHANNEL_UNAUTHORIZED', 'NO_PRIVATE_KEY'];

/** Document 002 uses 401 also for the login at the broker, and 403 for an identity without enrolment. */
function findRefusedUser(answer: GatewayAnswer<unknown> | undefined): string | undefined {
  if (answer === undefined || answer.ok) return undefined;
  const { error } = answer;
  const status = statusOf(error);
  if (status === 401 && !(error instanceof GatewayError && IDENTITY_KINDS.includes(error.kind)))
    return `The gateway refuses the user or password (${describeCode(error)}).`;
  // The prefix of the gateway's own checks, before the operation.
  const isOwnCheck = !(error instanceof GatewayError) || error.code.startsWith('REQ::');
  if (status === 403 && isOwnCheck) return `The gateway refuses the rights of the user: ${describe(error)}`;
  return undefined;
}

function isUserRefused(answer: GatewayAnswer<unknown>): boolean {
  return findRefusedUser(answer) !== undefined || findPostponement(answer) !== undefined;
}

function findUnenrolledIdentity(
  enrolment: GatewayAnswer<Enrolment> | undefined,
  channels: GatewayAnswer<unknown> | undefined,
): string | undefined {
  if (enrolment?.ok) {
    const { did, state } = enrolment.value;
    // Another wanted role may still await its issuer.
    if (!state.ready && state.roles.user !== 'APPROVED')
      return `The gateway's identity ${did} is not enrolled: its user role is ${state.roles.user}.`;
  } else if (enrolment && isKind(enrolment.error, 'NO_PRIVATE_KEY')) return 'The gateway has no identity.';
  if (channels === undefined || channels.ok || !(channels.error instanceof GatewayError)) return undefined;
  const { status, kind } = channels.error;
  if (status !== 403 && !IDENTITY_KINDS.includes(kind)) return undefined;
  return `The bus does not accept the gateway's identity: ${describe(channels.error)}`;
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
  return error instanceof GatewayUnreachableError || [401, 403, 502, 503].includes(statusOf(error));
}

import { readFileSync } from 'node:fs';
import { createAccessToken, addToken } from '@ssb/keys';
import { writeFileAtomically } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import type { System } from '@ssb/tools';
import { requestApi } from '../harness/archive-api.js';
import { DEEP_MARGIN, SINK_COUNT } from './week-of-a-participant.js';

const AUTHOR = 'treasury-desk';
const COMMENT = 'A prepayment of 400,000 AUD is on its way to the operator.';
const COMMENT_OF_OTHERS = 'Agrees with our own figures: no notice of disagreement.';
const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 240_000;

interface ShownProblem {
  readonly id: string;
  readonly state: string;
  readonly severity: string;
  readonly worstMeasure?: string;
}

interface ShownDelivery {
  readonly kind: string;
  readonly acceptedAt?: string;
}

interface Listing<Row> {
  readonly items: readonly Row[];
}

/** Adds a token of the person whose name the pictures show. @returns the token */
export async function addPerson(system: System): Promise<string> {
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 10 * HOUR_MS);
  const { text, entry } = createAccessToken(
    { name: AUTHOR, role: 'operator', participants: 'all', expiresAt },
    now,
  );
  const { file } = system.plan.secrets.apiAccess;
  await writeFileAtomically(file, addToken(readFileSync(file, 'utf8'), entry));
  const isKnown = async () => (await requestApi(system, '/v1/caller', undefined, text)).status === 200;
  await waitFor('the access of the person', isKnown);
  return text;
}

/**
 * Acknowledges the breach of the scenario, and waits until it has become deeper and everybody was told. Then the market stops.
 * @returns the id of the problem
 */
export async function handleBreach(
  system: System,
  token: string,
  print: (text: string) => void,
): Promise<string> {
  print('waiting for the breach …');
  const { id } = await waitFor('a critical problem', () => findBreach(system), TIMEOUT_MS);
  await acknowledge(system, id, COMMENT, token);
  for (const problem of await list<ShownProblem>(system, '/v1/problems?kind=disagreement'))
    await acknowledge(system, problem.id, COMMENT_OF_OTHERS, token);
  print('waiting for the deeper breach, a revision and an invoice …');
  await waitFor('a deeper breach that everybody was told of', () => isDeeperAndTold(system, id), TIMEOUT_MS);
  for (const type of ['statement.revised', 'invoice.issued', 'payment.due'])
    await waitFor(type, async () => (await list(system, `/v1/events?type=${type}`)).length > 0, TIMEOUT_MS);
  await system.process('simulator').stop();
  return id;
}

async function acknowledge(system: System, id: string, comment: string, token: string): Promise<void> {
  const { status, body } = await requestApi(
    system,
    `/v1/problems/${id}/acknowledge?wait=30`,
    { comment },
    token,
  );
  if (status !== 200) throw new Error(`The problem was not acknowledged: ${status} ${JSON.stringify(body)}`);
}

async function findBreach(system: System): Promise<ShownProblem | undefined> {
  const problems = await list<ShownProblem>(system, '/v1/problems?kind=margin');
  return problems.find(({ state, severity }) => state === 'open' && severity === 'critical');
}

async function isDeeperAndTold(system: System, id: string): Promise<boolean> {
  const { body } = await requestApi<ShownProblem & { readonly deliveries: readonly ShownDelivery[] }>(
    system,
    `/v1/problems/${id}`,
  );
  const { worstMeasure = '0', deliveries } = body;
  const alerts = deliveries.filter(({ kind }) => kind === 'alert');
  // Of the warning, the breach and the deeper breach.
  const isTold =
    alerts.length >= 3 * SINK_COUNT && deliveries.every(({ acceptedAt }) => acceptedAt !== undefined);
  return Number(worstMeasure) < DEEP_MARGIN && isTold;
}

async function list<Row>(system: System, path: string): Promise<readonly Row[]> {
  return (await requestApi<Listing<Row>>(system, path)).body.items;
}

import { waitFor } from '@ssb/testing';
import { Agent, request } from 'undici';
import { statementLoad } from './support/records.js';
import { createReportingDatabase, type ReportingDatabase } from './support/reporting-database.js';
import { runReporting, type RunningReporting } from './support/running-reporting.js';

const STATEMENT = '/api/v2/settlements/WEM/summary/2026-03-01/INITIAL';

/** A real PostgreSQL server that goes down and comes back, under the real app. */
describe('reporting while its database is away', () => {
  let server: ReportingDatabase;
  let reporting: RunningReporting;
  let participant: Agent;

  beforeAll(async () => {
    server = await createReportingDatabase();
    reporting = await runReporting({ DATABASE_URL: server.url });
    participant = new Agent({ connect: { ca: reporting.authority.cert, ...reporting.wpgenco } });
    expect((await reporting.post('/operator/v1/statements', statementLoad(1))).status).toBe(201);
    await server.shutDown();
  });
  afterAll(async () => {
    // A failed test may have left the shared server down.
    await server.start();
    await participant.close();
    await reporting.close();
    await server.close();
  });

  async function ask(url: string, scope: string, options: { dispatcher?: Agent; body?: string } = {}) {
    const { dispatcher, body } = options;
    const answer = await request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${await reporting.tokens.sign(scope)}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(dispatcher && { dispatcher }),
      ...(body !== undefined && { body }),
    });
    const { 'content-type': type, 'retry-after': retryAfter } = answer.headers;
    return { status: answer.statusCode, type, retryAfter, body: await answer.body.text() };
  }
  const askParticipants = () =>
    ask(`${reporting.participantsUrl}${STATEMENT}`, 'SETTLEMENT|WPGENCO|R', { dispatcher: participant });
  const askOperators = (body?: string) =>
    ask(`${reporting.operatorUrl}/operator/v1/statements`, 'MARKETRECORDS|OPERATOR|CR', {
      ...(body !== undefined && { body }),
    });

  it.each([
    ['a participant who asks', askParticipants],
    ['an operator who lists', () => askOperators()],
    ['an operator who loads', () => askOperators(statementLoad(2))],
  ])('asks %s to come back, and tells nothing of the server', async (_who, asking) => {
    const answer = await asking();
    expect(answer).toMatchObject({
      status: 503,
      type: 'application/problem+json; charset=utf-8',
      retryAfter: '2',
    });
    expect(JSON.parse(answer.body)).toMatchObject({ status: 503, reason: 'records-cannot-be-reached' });
    expect(answer.body).not.toMatch(/127\.0\.0\.1|ECONN|postgres/);
  });

  it('is not ready', async () => {
    expect((await request(`${reporting.operatorUrl}/health/ready`)).statusCode).toBe(503);
  });

  it('goes on by itself once the database is back, with what was loaded', async () => {
    await server.start();
    let answer = await askParticipants();
    await waitFor('the records', async () => (answer = await askParticipants()).status !== 503);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"runId":1');
    expect((await askOperators(statementLoad(2))).status).toBe(201);
    expect((await askParticipants()).body).toContain('"runId":2');
  });
});

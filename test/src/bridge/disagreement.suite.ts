import { writeFileAtomically } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { requestApi } from '../harness/archive-api.js';
import { running } from './shared-system.js';

const DAY_MS = 24 * 3_600_000;

interface Reminder {
  readonly id: string;
  readonly subject: string;
}

interface ShownProblem {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

/** The text of CONFIG_FILE with five days, each a business day, to dispute the statement of a week. */
function withReminders(text: string, remind: readonly number[]): string {
  const { defaults, ...rest } = parse(text) as { readonly defaults: object };
  const disagreement = { markets: { WEM: { INITIAL: { businessDays: 5, remind } } } };
  return stringify({ ...rest, businessDays: ['mon-sun'], defaults: { ...defaults, disagreement } });
}

/** The archived reminders about the statement of a run. */
async function waitForReminders(subject: string, count: number): Promise<readonly Reminder[]> {
  const query = `SELECT event_id AS id, subject FROM subscriber.archive
    WHERE type = 'settlementbus.statement.disagreement-due.v1' AND subject LIKE $1 ORDER BY archive_offset`;
  let found: readonly Reminder[] = [];
  await waitFor(
    () => `${count} archived reminders, not only ${JSON.stringify(found)}`,
    async () => {
      found = await running.database.query<Reminder>(query, [`${subject}/disagreement/%`]);
      return found.length >= count;
    },
  );
  return found;
}

async function showProblems(subject: string): Promise<readonly ShownProblem[]> {
  const { body } = await requestApi<{ items: readonly ShownProblem[] }>(
    running.system,
    '/v1/problems?kind=disagreement&state=open&state=closed',
  );
  return body.items.filter(({ key }) => key.startsWith(`${subject}/`));
}

describe('the last day to dispute a statement', () => {
  it('is announced to nobody once a person has closed its problem, and again for a revision', async () => {
    const { operatorConfig } = running.system.plan;
    const original = readFileSync(operatorConfig, 'utf8');
    try {
      await writeFileAtomically(operatorConfig, withReminders(original, [4]));
      const published = Date.now() - 2 * DAY_MS;
      const [fact] = await running.market.publishStatements(1, '1.00', 1, published);
      if (fact === undefined) throw new RangeError('a fact is required');
      const { subject } = fact;
      const [first] = await waitForReminders(subject, 1);
      const [problem] = await showProblems(subject);
      await requestApi(running.system, `/v1/problems/${problem?.id}/close`, { comment: 'We agree.' });
      await waitFor('the closed problem', async () => (await showProblems(subject))[0]?.state === 'closed');

      await writeFileAtomically(operatorConfig, withReminders(original, [4, 3]));
      const [, second] = await waitForReminders(subject, 2);
      expect(second?.subject).toBe(first?.subject);
      await running.market.reviseStatement(fact, '2.00', 1, published + DAY_MS);
      const [, , ofRevision] = await waitForReminders(subject, 3);
      await waitFor('the delivery of the reminder about the revision', () =>
        running.deliveredEvents().some(({ id }) => id === ofRevision?.id),
      );
      const delivered = running.deliveredEvents().map(({ id }) => id);
      expect([first, second, ofRevision].map((each) => delivered.includes(each?.id ?? ''))).toEqual([
        true,
        false,
        true,
      ]);
      const problems = await showProblems(subject);
      expect(problems.map(({ key, state }) => [key, state]).toSorted()).toEqual(
        [
          [first?.subject, 'closed'],
          [ofRevision?.subject, 'open'],
        ].toSorted(),
      );
    } finally {
      await writeFileAtomically(operatorConfig, original);
    }
  });
});

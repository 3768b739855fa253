import type { Listing } from '../harness/filled-system.js';
import type { Window } from './browser.js';
import { openAs, running } from './shared-console.js';

const AUTHOR = 'olivia';

interface Action {
  /** The button that opens the form, and the one that sends it. */
  readonly open: string;
  readonly submit: string;
  readonly comment: string;
  /** As the audit log names it. */
  readonly kind: string;
}

const ACKNOWLEDGE = {
  open: 'Acknowledge',
  submit: 'Acknowledge',
  comment: 'I call them',
  kind: 'acknowledge',
};
const SILENCE = { open: 'Silence', submit: 'Add the silence', comment: 'They work on it', kind: 'silence' };
const CLOSE = { open: 'Close', submit: 'Close the problem', comment: 'It came by mail', kind: 'close' };
const RESEND = { open: 'Resend', submit: 'Resend', comment: 'The receiver lost it', kind: 'resend' };
const TEST = { open: 'Test treasury', submit: 'Test', comment: 'Is it there?', kind: 'test' };

/** Fills and sends the form of an action. */
async function act(window: Window, { open, submit, comment }: Action): Promise<void> {
  const { page } = window;
  await page.getByRole('main').getByRole('button', { name: open, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Comment/).fill(comment);
  expect(await window.findBarriers()).toEqual([]);
  await dialog.getByRole('button', { name: submit, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

const firstOf = async <Row>(path: string): Promise<Row> => {
  const { items } = await running.system.get<{ readonly items: readonly Row[] }>(path);
  const [row] = items;
  if (row === undefined) throw new Error(`${path} has no row`);
  return row;
};

describe('an operator', () => {
  let window: Window;

  beforeEach(async () => {
    window = await openAs('operator');
  });

  it('acknowledges, silences and closes a problem', async () => {
    const { id } = await firstOf<Listing['items'][number]>('/v1/problems?kind=statement-overdue');
    const { page } = window;
    const [state, results] = [page.getByRole('region', { name: 'State' }), page.locator('.action-results')];
    await window.open(`/problems/${id}`);
    await act(window, ACKNOWLEDGE);
    await results.getByText(/^✓ Acknowledged: /).waitFor();
    await state.getByText(`${AUTHOR} acknowledged it at`).getByText(ACKNOWLEDGE.comment).waitFor();
    await act(window, SILENCE);
    await results.getByText(/^✓ The silence is added\. It ends on /).waitFor();
    await state.getByText(`Silenced by ${AUTHOR} until`).getByText(SILENCE.comment).waitFor();
    const history = page.getByRole('region', { name: 'What happened' });
    for (const entry of [`Acknowledged by ${AUTHOR}`, `Silenced by ${AUTHOR}`])
      await history.getByText(entry, { exact: true }).waitFor();
    await act(window, CLOSE);
    await results.getByText(/^✓ Closed: /).waitFor();
    await state.getByText(`${AUTHOR} closed it: ${CLOSE.comment}`).waitFor();
    await history.getByText(`Closed by ${AUTHOR}`, { exact: true }).waitFor();
  });

  it('resends a delivery', async () => {
    const path = '/v1/deliveries?sink=treasury&state=delivered';
    const { eventId } = await firstOf<{ readonly eventId: string }>(path);
    await window.open(`/deliveries/${eventId}/treasury`);
    await act(window, RESEND);
    await window.page.getByText('1 delivery to treasury pending again.').waitFor();
    await window.page.getByText(/^A person resent it at /).waitFor();
  });

  it('tests a sink', async () => {
    await window.open('/sinks');
    await act(window, TEST);
    await window.page.getByText(/treasury accepted the test with status 2\d\d in \d+ ms\./).waitFor();
  });

  it('is named in the audit log', async () => {
    await window.open('/operations/audit');
    for (const { kind, comment } of [ACKNOWLEDGE, SILENCE, CLOSE, RESEND, TEST]) {
      const rows = window.page.getByRole('row').filter({ hasText: AUTHOR }).filter({ hasText: comment });
      await rows.filter({ hasText: kind }).filter({ hasText: 'done' }).waitFor();
    }
  });
});

import { ALERT_REASON_NAMES, ALERT_REASONS } from '@ssb/events';
import { renderAlertsPage } from './alerts-page.js';

const RUNBOOK = {
  path: 'docs/operate/alerts/all.md',
  text: `Operational alerts: ${ALERT_REASON_NAMES.map((reason) => `\`${reason}\``).join(', ')}.`,
};

const rows = renderAlertsPage([RUNBOOK])
  .split('\n')
  .filter((line) => line.startsWith('- `'));

it('has a row for each reason', () => {
  for (const reason of ALERT_REASON_NAMES)
    expect(rows.filter((row) => row.startsWith(`- \`${reason}\` (`))).toHaveLength(1);
});

it('shows app, whether the fault lasts, its severity, the runbook, meaning and action', () => {
  expect(rows).toContain(
    '- `dead-letter` (bus-publisher; single, critical; [all](operate/alerts/all.md)): An event cannot be published with the current ' +
      'configuration. Do: List the dead letters (docs/operate/dead-letters.md), fix the cause of the reason, then retry the event.',
  );
});

it('names no command, because clones and images have different ones', () => {
  for (const reason of ALERT_REASON_NAMES)
    expect(ALERT_REASONS[reason].action).not.toMatch(/npm run|npx|busbridge|\bnode /);
});

it('refuses a reason that no runbook names', () => {
  const text = RUNBOOK.text.replace('`dead-letter`', '');
  expect(() => renderAlertsPage([{ ...RUNBOOK, text }])).toThrow('names the reason dead-letter');
});

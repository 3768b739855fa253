import { ALERT_REASON_NAMES, ALERT_REASONS } from '@ssb/events';
import { renderAlertsPage } from './alerts-page.js';

const rows = renderAlertsPage()
  .split('\n')
  .filter((line) => line.startsWith('| `'));

it('has a row for each reason', () => {
  for (const reason of ALERT_REASON_NAMES)
    expect(rows.filter((row) => row.startsWith(`| \`${reason}\` |`))).toHaveLength(1);
});

it('shows app, meaning, action, and whether the fault lasts', () => {
  expect(rows).toContain(
    '| `dead-letter` | bus-publisher | An event cannot be published with the current configuration. ' +
      '| List the dead letters (docs/operators.md, Commands), fix the cause of the reason, then retry the event. | single |',
  );
});

it('names no command, because clones and images have different ones', () => {
  for (const reason of ALERT_REASON_NAMES)
    expect(ALERT_REASONS[reason].action).not.toMatch(/npm run|npx|busbridge|\bnode /);
});

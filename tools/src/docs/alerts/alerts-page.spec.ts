import { ALERT_REASON_NAMES, ALERT_REASONS } from '@ssb/events';
import { renderAlertsPage } from './alerts-page.js';

const RUNBOOK = {
  path: 'docs/operate/alerts/all.md',
  text: `Operational alerts: ${ALERT_REASON_NAMES.map((reason) => `\`${reason}\``).join(', ')}.`,
};

it('names no command, because clones and images have different ones', () => {
  for (const reason of ALERT_REASON_NAMES)
    expect(ALERT_REASONS[reason].action).not.toMatch(/npm run|npx|busbridge|\bnode /);
});

it('refuses a reason that no runbook names', () => {
  const text = RUNBOOK.text.replace('`dead-letter`', '');
  expect(() => renderAlertsPage([{ ...RUNBOOK, text }])).toThrow('names the reason dead-letter');
});

import { createFaultEvent } from './create-fault-event.js';

it('escapes the text of a server or a sender, within the bounds of the schema', () => {
  const report = {
    app: 'subscriber',
    reason: 'message-quarantined',
    participant: '*',
    sender: `did:\u202e\u009b${'x'.repeat(250)}`,
    detail: 'refused with \u001b[2J\r\nall is well\u2028',
    count: 1,
    since: new Date(0),
    sequence: 1,
  } as const;
  const { data } = createFaultEvent({ kind: 'raised', report }, new Date(1));
  const { detail, sender } = data as { detail: string; sender: string };
  expect(detail).toBe('refused with \\u001b[2J\\r\\nall is well\\u2028');
  expect(sender).toMatch(/^did:\\u202e\\u009bx+…$/);
  expect(sender).toHaveLength(255);
});

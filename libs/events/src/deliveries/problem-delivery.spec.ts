import { Ajv } from 'ajv';
import {
  PROBLEM_DELIVERIES,
  PROBLEM_DELIVERY_SCHEMAS,
  writeProblemDelivery,
  type ProblemDelivery,
  type ProblemDeliveryDetails,
} from './problem-delivery.js';

const ID = '6f1c0b3e-2f4f-4d3e-9a66-0c2f5d1f7a10';
const EVENT = `{ "specversion": "1.0", "id":"${ID}", "type":"t", "source":"s", "data": {"margin":"-1.10"} }`;
const PROBLEM: ProblemDeliveryDetails['problem'] = {
  id: ID,
  kind: 'margin',
  state: 'open',
  severity: 'critical',
  worstSeverity: 'critical',
  level: 'BREACHED',
  worstLevel: 'BREACHED',
  since: '2026-03-02T08:00:00+08:00',
  openedAt: '2026-03-02T00:00:02.000Z',
  worsened: 1,
  figures: { tradingMargin: '-12345678901234567890.12345678' },
  worstFigures: { tradingMargin: '-12345678901234567890.12345678' },
};
const PERSON = { at: '2026-03-02T00:05:00.000Z', by: 'jane' };
const SILENCE = {
  number: 3,
  startsAt: PERSON.at,
  endsAt: '2026-03-02T02:05:00.000Z',
  author: 'jane',
  comment: 'maintenance',
};
const DETAILS: Readonly<Record<ProblemDelivery, ProblemDeliveryDetails>> = {
  reminder: { delivery: 'reminder', time: PERSON.at, number: 2, problem: PROBLEM },
  escalation: { delivery: 'escalation', time: PERSON.at, number: 1, problem: PROBLEM },
  acknowledged: {
    delivery: 'acknowledged',
    time: PERSON.at,
    problem: { ...PROBLEM, state: 'acknowledged', acknowledged: { ...PERSON, comment: 'on it' } },
  },
  'silence-began': { delivery: 'silence-began', time: PERSON.at, silence: SILENCE, problem: PROBLEM },
  'silence-ended': {
    delivery: 'silence-ended',
    time: PERSON.at,
    silence: { ...SILENCE, ended: PERSON },
    problem: PROBLEM,
  },
  closed: { delivery: 'closed', time: PERSON.at, problem: { ...PROBLEM, state: 'closed', closed: PERSON } },
};

it('each message has the body of its schema, with the event byte for byte', () => {
  const ajv = new Ajv({ strict: true, code: { optimize: false } });
  Object.keys(PROBLEM_DELIVERIES).forEach((delivery, index) => {
    const accepts = ajv.compile(PROBLEM_DELIVERY_SCHEMAS[index] ?? {});
    const text = writeProblemDelivery(ID, 'WPGENCO', DETAILS[delivery as ProblemDelivery], EVENT);
    const body = JSON.parse(text) as { data: object };
    expect([delivery, accepts(body), accepts.errors]).toEqual([delivery, true, null]);
    expect(text.endsWith(`"event":${EVENT}}}`)).toBe(true);
    expect(accepts({ ...body, data: { ...body.data, problem: {} } })).toBe(false);
  });
});

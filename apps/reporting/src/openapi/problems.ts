import { PROBLEM_REASONS, type ProblemStatus } from '../domain/problem-reason.js';

/** What each status of a problem means here; the words are those of docs/interfaces.md. */
const MEANINGS: Readonly<Record<ProblemStatus, { name: string; description: string }>> = {
  403: { name: 'Forbidden', description: 'Who you are, or what you hold, does not suffice.' },
  404: {
    name: 'NotFound',
    description: 'The question has no answer: nothing was published, or it cannot be asked.',
  },
  503: {
    name: 'Unavailable',
    description:
      'Access tokens cannot be checked, or the records not be reached, at the moment: ask again later.',
  },
};

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before asking again.',
    schema: { type: 'integer', minimum: 0 },
  },
};

const statuses = Object.keys(PROBLEM_REASONS).map(Number) as ProblemStatus[];

/** One Response Object a status, by name. */
export const problemResponses: Readonly<Record<string, object>> = Object.fromEntries(
  statuses.map((status) => {
    const { name, description } = MEANINGS[status];
    const schema = { $ref: `#/components/schemas/${name}Problem` };
    const content = { 'application/problem+json': { schema } };
    return [name, { description, ...(status === 503 && { headers: RETRY_AFTER }), content }];
  }),
);

/** Problem details of RFC 9457, with the closed list of reasons that each status has. */
export const problemSchemas: Readonly<Record<string, object>> = Object.fromEntries(
  statuses.map((status) => [`${MEANINGS[status].name}Problem`, problemSchema(status)]),
);

function problemSchema(status: ProblemStatus): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['type', 'title', 'status', 'detail', 'reason'],
    properties: {
      type: { const: 'about:blank' },
      title: { type: 'string' },
      status: { const: status },
      detail: { type: 'string', description: 'What was wrong and what is allowed, for people to read.' },
      reason: { type: 'string', enum: PROBLEM_REASONS[status] },
      ...(status === 404 && {
        parameter: { type: 'string', description: 'Which parameter cannot be as it is, where it is one.' },
      }),
    },
  };
}

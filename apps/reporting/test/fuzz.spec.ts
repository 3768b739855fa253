import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { Pool } from 'undici';
import { runReporting, type RunningReporting } from './support/running-reporting.js';
import { loadTenRecords } from './support/ten-records.js';

/** As much of an OpenAPI document as requests are made from and answers are judged by. */
interface Description {
  paths: Record<string, { get: DescribedOperation }>;
  components: { responses: Record<string, DescribedResponse>; schemas: object };
}
interface DescribedOperation {
  parameters: DescribedParameter[];
  responses: Record<string, DescribedResponse | { $ref: string }>;
}
interface DescribedParameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  example: string;
  schema: { pattern?: string; enum?: string[]; maxLength?: number };
}
interface DescribedResponse {
  content: Record<string, { schema?: object }>;
}
interface Asked {
  operation: DescribedOperation;
  url: string;
  headers: Record<string, string>;
}

/** Fixed, so that a failure is the same failure the next time; REPORTING_FUZZ_SEED tries another. */
const SEED = Number(process.env.REPORTING_FUZZ_SEED ?? 20260301);
const RUNS = 400;

let reporting: RunningReporting;
let pool: Pool;
let description: Description;
let ajv: Ajv2020;
let token: string;

beforeAll(async () => {
  reporting = await runReporting();
  await loadTenRecords(reporting);
  token = await reporting.tokens.sign('PRUDENTIAL|WPGENCO|R SETTLEMENT|WPGENCO|R');
  pool = new Pool(reporting.participantsUrl, {
    connections: 8,
    connect: { ca: reporting.authority.cert, ...reporting.wpgenco },
  });
  const { body } = await pool.request({ method: 'GET', path: '/openapi.json' });
  description = (await body.json()) as Description;
  ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi.json', components: description.components });
});

afterAll(async () => {
  await pool.close();
  await reporting.close();
});

it(`answers nothing that the document does not describe (seed ${SEED})`, async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(questions(description), async (asked) => {
      statuses.add(await judged(asked));
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect([...statuses].sort()).toEqual([200, 403, 404]);
});

/** Sends one question and judges status, media type and body by the document. @returns the status */
async function judged({ operation, url, headers }: Asked): Promise<number> {
  const { statusCode, headers: answered, body } = await pool.request({ method: 'GET', path: url, headers });
  const text = await body.text();
  const described = operation.responses[statusCode];
  expect(Object.keys(operation.responses)).toContain(String(statusCode));
  const { content } = resolved(described);
  const [type = ''] = String(answered['content-type']).split(';');
  expect(Object.keys(content)).toContain(type);
  const schema = content[type]?.schema;
  if (schema !== undefined) {
    const validate = validatorOf(schema);
    const valid = validate(JSON.parse(text));
    expect([url, statusCode, valid ? [] : validate.errors]).toEqual([url, statusCode, []]);
  }
  return statusCode;
}

function resolved(response: DescribedResponse | { $ref: string } | undefined): DescribedResponse {
  if (response === undefined) throw new Error('a status that is not described');
  if (!('$ref' in response)) return response;
  const found = description.components.responses[response.$ref.slice('#/components/responses/'.length)];
  return resolved(found);
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi.json#/components/');
  const known = validators.get(text);
  if (known !== undefined) return known;
  const fresh = ajv.compile(JSON.parse(text) as object);
  validators.set(text, fresh);
  return fresh;
}

function questions({ paths }: Description): fc.Arbitrary<Asked> {
  return fc.oneof(...Object.entries(paths).map(([path, { get }]) => questionOf(path, get)));
}

function questionOf(path: string, operation: DescribedOperation): fc.Arbitrary<Asked> {
  const values = fc.tuple(...operation.parameters.map(valuesOf));
  return fc.tuple(values, headersOf()).map(([given, headers]) => {
    let url = path;
    const query: string[] = [];
    operation.parameters.forEach(({ name, in: place }, index) => {
      const texts = (given[index] ?? []).map(encodeURIComponent);
      if (place === 'path') url = url.replace(`{${name}}`, () => texts[0] ?? '');
      else query.push(...texts.map((text) => `${name}=${text}`));
    });
    return { operation, url: query.length === 0 ? url : `${url}?${query.join('&')}`, headers };
  });
}

/** The values that a parameter is given: the documented example, another allowed one, or a broken one; none or several in a query. */
function valuesOf({ in: place, required, example, schema }: DescribedParameter): fc.Arbitrary<string[]> {
  const allowed =
    schema.enum !== undefined
      ? fc.constantFrom(...schema.enum)
      : schema.pattern !== undefined
        ? fc.stringMatching(new RegExp(schema.pattern.replace('(?!0000)', '')))
        : fc.string({ minLength: 1, maxLength: schema.maxLength ?? 60 });
  const broken = fc.oneof(
    fc
      .string({ minLength: 1, unit: 'binary' })
      .filter((text) => !/\p{Cs}/u.test(text) && !/^\.{1,2}$/.test(text)),
    fc.string({ minLength: 80, maxLength: 300 }),
    fc.constantFrom('2026-02-30', '0000-00-00', '__proto__', "' OR 1=1 --", 'null', '%', '\u0000'),
  );
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.constant(example) },
    { weight: 3, arbitrary: allowed },
    { weight: 1, arbitrary: broken },
  );
  if (place === 'path') return value.map((one) => [one]);
  const once = { weight: 8, arbitrary: value.map((one) => [one]) };
  const omitted = { weight: required ? 1 : 16, arbitrary: fc.constant<string[]>([]) };
  const twice = { weight: 1, arbitrary: fc.array(value, { minLength: 2, maxLength: 2 }) };
  return fc.oneof(once, omitted, twice);
}

function headersOf(): fc.Arbitrary<Record<string, string>> {
  const authorization = fc.oneof(
    { weight: 9, arbitrary: fc.constant(`Bearer ${token}`) },
    { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Bearer x.y.z', 'Basic YTpi', `Bearer ${token}x`) },
  );
  const accept = fc.constantFrom(
    '*/*',
    'application/json',
    'text/json',
    'text/plain',
    'text/html',
    'application/pdf',
    ',;q=,',
    'text/*;q=0.1, application/json;q=0',
  );
  return fc.record({ authorization, accept });
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { Pool } from 'undici';
import { runReporting, type RunningReporting } from './support/running-reporting.js';
import { loadTenRecords } from './support/ten-records.js';

/** The part of an OpenAPI document that the test uses to generate requests and validate responses. */
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
interface GeneratedRequest {
  operation: DescribedOperation;
  url: string;
  headers: Record<string, string>;
}

/** Fixed, so that a failure can be repeated. REPORTING_FUZZ_SEED sets another. */
const SEED = Number(process.env.REPORTING_FUZZ_SEED ?? 20260301);
const RUNS = 120;

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

it(`sends only responses that the document describes (seed ${SEED})`, async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(anyRequest(description), async (generated) => {
      statuses.add(await validateResponse(generated));
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect([...statuses].sort()).toEqual([200, 403, 404]);
});

/** Sends a request and validates status, media type and body. @returns the status */
async function validateResponse({ operation, url, headers }: GeneratedRequest): Promise<number> {
  const {
    statusCode,
    headers: responseHeaders,
    body,
  } = await pool.request({ method: 'GET', path: url, headers });
  const text = await body.text();
  const described = operation.responses[statusCode];
  expect(Object.keys(operation.responses)).toContain(String(statusCode));
  const { content } = resolveReference(described);
  const [type = ''] = String(responseHeaders['content-type']).split(';');
  expect(Object.keys(content)).toContain(type);
  const schema = content[type]?.schema;
  if (schema !== undefined) {
    const validate = validatorFor(schema);
    const valid = validate(JSON.parse(text));
    expect([url, statusCode, valid ? [] : validate.errors]).toEqual([url, statusCode, []]);
  }
  return statusCode;
}

function resolveReference(response: DescribedResponse | { $ref: string } | undefined): DescribedResponse {
  if (response === undefined) throw new Error('the status is not described');
  if (!('$ref' in response)) return response;
  const found = description.components.responses[response.$ref.slice('#/components/responses/'.length)];
  return resolveReference(found);
}

const validators = new Map<string, ValidateFunction>();

function validatorFor(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi.json#/components/');
  const known = validators.get(text);
  if (known !== undefined) return known;
  const fresh = ajv.compile(JSON.parse(text) as object);
  validators.set(text, fresh);
  return fresh;
}

function anyRequest({ paths }: Description): fc.Arbitrary<GeneratedRequest> {
  return fc.oneof(...Object.entries(paths).map(([path, { get }]) => requestTo(path, get)));
}

function requestTo(path: string, operation: DescribedOperation): fc.Arbitrary<GeneratedRequest> {
  const values = fc.tuple(...operation.parameters.map(anyValues));
  return fc.tuple(values, anyHeaders()).map(([given, headers]) => {
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

/** Values of a parameter: the example, another valid one or an invalid one; none or two in a query. */
function anyValues({ in: place, required, example, schema }: DescribedParameter): fc.Arbitrary<string[]> {
  const allowed =
    schema.enum !== undefined
      ? fc.constantFrom(...schema.enum)
      : schema.pattern !== undefined
        ? fc.stringMatching(new RegExp(schema.pattern))
        : fc.string({ minLength: 1, maxLength: schema.maxLength ?? 60 });
  const invalid = fc.oneof(
    fc
      .string({ minLength: 1, unit: 'binary' })
      .filter((text) => !/\p{Cs}/u.test(text) && !/^\.{1,2}$/.test(text)),
    fc.string({ minLength: 80, maxLength: 300 }),
    fc.constantFrom('2026-02-30', '0000-00-00', '__proto__', "' OR 1=1 --", 'null', '%', '\u0000'),
  );
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.constant(example) },
    { weight: 3, arbitrary: allowed },
    { weight: 1, arbitrary: invalid },
  );
  if (place === 'path') return value.map((one) => [one]);
  const once = { weight: 8, arbitrary: value.map((one) => [one]) };
  const omitted = { weight: required ? 1 : 16, arbitrary: fc.constant<string[]>([]) };
  const twice = { weight: 1, arbitrary: fc.array(value, { minLength: 2, maxLength: 2 }) };
  return fc.oneof(once, omitted, twice);
}

function anyHeaders(): fc.Arbitrary<Record<string, string>> {
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

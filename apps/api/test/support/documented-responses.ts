import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OPENAPI_FILE } from '../../src/openapi/api-document.js';

interface Content {
  readonly [mediaType: string]: { readonly schema?: object };
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

/** Checks responses of the API against its OpenAPI document. A member that the document does not have is a fault. */
export class DocumentedResponses {
  private readonly document = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as OpenApiDocument;
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // Linters of check:deploy validate the document.
    validateSchema: false,
    code: { optimize: false },
  });

  constructor() {
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: 'openapi', ...(closeObjects(this.document) as object) });
  }

  /** @throws Error when the document does not have this response */
  check(method: string, path: string, response: { status: number; type: string; body: string }): void {
    const template = this.findPath(path);
    const operation =
      template === undefined ? undefined : this.document.paths[template]?.[method.toLowerCase()];
    // An address without an operation gets the 404 or 405 of the framework.
    if (template === undefined || operation === undefined) return;
    const what = `${method} ${path}: ${response.status} ${response.type}`;
    const documented = operation.responses[String(response.status)];
    if (documented === undefined) throw new Error(`${what} is not documented. ${response.body}`);
    if (response.body === '') return;
    const mediaType = response.type.split(';')[0] ?? '';
    if (documented.content?.[mediaType] === undefined)
      throw new Error(`${what} has a media type that is not documented. ${response.body}`);
    if (!mediaType.endsWith('json')) return;
    const pointer = [
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      String(response.status),
      'content',
      mediaType,
      'schema',
    ];
    const reference = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const validate = this.ajv.getSchema(reference) ?? this.ajv.compile({ $ref: reference });
    if (!validate(JSON.parse(response.body)))
      throw new Error(
        `${what} differs from the document: ${this.ajv.errorsText(validate.errors)}. ${response.body}`,
      );
  }

  private findPath(path: string): string | undefined {
    const parts = path.split('?')[0]?.split('/') ?? [];
    const matches = Object.keys(this.document.paths).filter((template) => {
      const expected = template.split('/');
      return (
        expected.length === parts.length &&
        expected.every((part, index) => part === parts[index] || part.startsWith('{'))
      );
    });
    // A path without a parameter comes before one with a parameter.
    return matches.toSorted((one, other) => one.split('{').length - other.split('{').length)[0];
  }
}

/** Adds `unevaluatedProperties: false` to every object that lists its members. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, closeObjects(member)]),
  );
  const lists = 'properties' in closed && closed['type'] === 'object' && !('additionalProperties' in closed);
  return lists ? { ...closed, unevaluatedProperties: false } : closed;
}

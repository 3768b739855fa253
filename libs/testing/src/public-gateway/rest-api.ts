import { EVENTS_DOCUMENT, REST_DOCUMENT } from './documents.js';
import { badRequest, GatewayRefusal } from './gateway-error.js';
import { type GatewayOperations, parseSendRequest, type SendRequest } from './operations.js';

export type Documents = 'published' | 'none';

export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface RestReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string;
}

/** One path: whether it needs the password, and its methods. */
interface Resource {
  readonly isOpen?: true;
  readonly methods: Readonly<Record<string, (request: RestRequest) => RestReply>>;
}

const UNAUTHORIZED: RestReply = {
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="Authorization Required"' },
};

const json = (status: number, value: unknown): RestReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** The REST interface of the public gateway. A path or method that is not measured does not exist. */
export class RestApi {
  private readonly resources: Readonly<Record<string, Resource>>;

  constructor(operations: GatewayOperations, publicKey: string, documents: Documents) {
    const enrolment = (): RestReply => json(200, describeEnrolment(operations));
    this.resources = {
      '/api/health': { isOpen: true, methods: { GET: () => ({ status: 200 }) } },
      '/api/v1/docs/rest.yaml': openDocument(documents, REST_DOCUMENT),
      '/api/v1/docs/ws.yaml': openDocument(documents, EVENTS_DOCUMENT),
      '/api/v1/config/identity': {
        methods: {
          GET: () => json(200, { address: operations.signer.address, publicKey, balance: 'OK' }),
        },
      },
      '/api/v1/config/enrol': { methods: { GET: enrolment, POST: enrolment } },
      '/api/v1/channels': { methods: { GET: () => json(200, operations.channels()) } },
      '/api/v1/message': {
        methods: {
          GET: ({ query }) => json(200, operations.read(query)),
          POST: ({ body }) => json(200, { id: operations.send(readBody(body)) }),
        },
      },
    };
  }

  respond(request: RestRequest, isAuthorized: boolean): RestReply {
    const resource = this.resources[request.path];
    if (resource === undefined) return { status: 404 };
    const handle = resource.methods[request.method];
    if (handle === undefined) return { status: 405 };
    if (resource.isOpen !== true && !isAuthorized) return UNAUTHORIZED;
    try {
      return handle(request);
    } catch (error) {
      if (error instanceof GatewayRefusal) return json(error.status, { err: error.err });
      throw error;
    }
  }
}

function openDocument(documents: Documents, text: string): Resource {
  const reply: RestReply =
    documents === 'none'
      ? { status: 404 }
      : { status: 200, headers: { 'content-type': 'text/yaml; charset=utf-8' }, body: text };
  return { isOpen: true, methods: { GET: () => reply } };
}

function describeEnrolment({ did, roleState: user }: GatewayOperations): object {
  const state = { approved: user === 'APPROVED', waiting: user === 'AWAITING_APPROVAL', roles: { user } };
  return { did, state };
}

function readBody(text: string): SendRequest {
  const request = parseSendRequest(text);
  if (request === undefined) throw badRequest('the body must be a message with its fields only');
  return request;
}

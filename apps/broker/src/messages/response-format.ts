import { serialiseMessages, type BusMessage, type PublishSuccess } from '@ssb/bus';
import type { BusError } from '../errors/bus-error.js';
import type { Settings } from '../settings.js';

/** The body of a response. */
export interface ResponseBody {
  readonly contentType: string;
  readonly text: string;
}

/** How the broker writes the responses in which brokers of this bus differ (setting BROKER_COMPATIBILITY). Pure. */
export interface ResponseFormat {
  /** 201 of `POST /message`. */
  writePublished(id: string): ResponseBody;
  /** 200 of `GET /message`. */
  writeMessages(messages: readonly BusMessage[]): ResponseBody;
  /** Any error; the JSON always has the `err` object of document 002. */
  writeError(error: BusError): ResponseBody & { readonly status: number };
}

/** Injection token. */
export const RESPONSE_FORMAT = Symbol('RESPONSE_FORMAT');

const JSON_TYPE = 'application/json; charset=utf-8';

const ownFormat: ResponseFormat = {
  writePublished: (id) => writeJson({ id } satisfies PublishSuccess),
  writeMessages: (messages) => writeJson(messages),
  writeError: (error) => ({ status: error.status, ...writeJson(error.body()) }),
};

/** The public gateway reports every status as 502, except 400, 401, 403 and 404. */
const PUBLIC_GATEWAY_STATUS: Readonly<Record<number, number>> = { 413: 400, 422: 400 };

/** The format that the public gateway 0.5 and 0.6 and the Python client read. */
const publicGatewayFormat: ResponseFormat = {
  // Not a JSON string: clients that do not parse the body would keep its quotes.
  writePublished: (id) => ({ contentType: 'text/plain; charset=utf-8', text: id }),
  writeMessages: (messages) => ({ contentType: JSON_TYPE, text: serialiseMessages(messages) }),
  writeError: (error) => {
    const status = PUBLIC_GATEWAY_STATUS[error.status] ?? error.status;
    const body = { statusCode: status, message: toMessage(error, status), ...error.body() };
    return { status, ...writeJson(body) };
  },
};

/** The public gateway logs in again on this text alone, and takes a 400 apart as a list of reason and details. */
function toMessage({ code, reason, additionalInformation: details }: BusError, status: number): unknown {
  if (code === 'BUS::UNAUTHENTICATED') return 'Unauthorized';
  if (status !== 400) return reason;
  return details === undefined ? [reason] : [reason, details];
}

function writeJson(value: unknown): ResponseBody {
  return { contentType: JSON_TYPE, text: JSON.stringify(value) };
}

export const RESPONSE_FORMATS: Readonly<Record<Settings['BROKER_COMPATIBILITY'], ResponseFormat>> = {
  none: ownFormat,
  dsb: publicGatewayFormat,
};

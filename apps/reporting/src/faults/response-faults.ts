import type { FaultOf } from '@ssb/market/admin';
import type { FastifyReply } from 'fastify';
import { firstHalf, withoutProperty, withUnknownProperty } from './alter-json.js';
import { padPdf } from './pad-pdf.js';
import type { FaultMatch } from './request-faults.js';

type Body = string | Uint8Array;

/** Content types of JSON bodies. The invoice file has no properties to alter. */
const JSON_TYPES = /^(?:application\/json|text\/json|text\/plain)(?:;|$)/;

/** Applies a fault to a 200 body. Returns the body to send, or undefined when it has been sent. */
export function applyToResponse(match: FaultMatch, body: Body): Body | undefined {
  const { request, reply, claim, reset } = match;
  const { fault } = match.injected;
  switch (fault.kind) {
    case 'connection-reset':
      if (fault.when !== 'in-body' || !claim()) return body;
      return sendHalf(reply, body, reset);
    case 'wrong-content-type':
      // A media type that document 000 does not know (Conventions 2).
      if (claim()) void reply.header('content-type', fault.contentType);
      return body;
    case 'truncated-json':
      if (!isJson(reply) || !claim()) return body;
      if (fault.contentLength === 'of-half') return firstHalf(toText(body));
      return sendHalf(reply, body, () => request.raw.socket.end());
    case 'invoice-file':
      return isPdf(reply) && claim() ? replaceFile(reply, Buffer.from(body), fault) : body;
    case 'unknown-property': {
      // A property that document 000 does not list (Conventions 5).
      const { property, where } = fault;
      const altered = isJson(reply) ? withUnknownProperty(toText(body), property, where) : undefined;
      return altered !== undefined && claim() ? altered : body;
    }
    case 'missing-property': {
      const altered = isJson(reply) ? withoutProperty(toText(body), fault.property) : undefined;
      return altered !== undefined && claim() ? altered : body;
    }
    case 'latency':
    case 'rate-limit':
    case 'error':
    case 'clock-skew':
      return body;
    default:
      return fault satisfies never;
  }
}

/** Sends headers with the full length and half of the body, then calls `end` to end the connection. */
function sendHalf(reply: FastifyReply, body: Body, end: () => void): undefined {
  const bytes = Buffer.from(body);
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(reply.statusCode, { 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), end);
  return undefined;
}

const HTML = '<!DOCTYPE html>\n<html><body>Your session has expired. Sign in again.</body></html>\n';
/** Of a padded invoice file, without `bytes`. */
const PADDED_BYTES = 10_485_760;

function replaceFile(reply: FastifyReply, pdf: Buffer, { form, bytes }: FaultOf<'invoice-file'>): Body {
  switch (form) {
    case 'empty':
      return Buffer.alloc(0);
    case 'html':
      void reply.header('content-type', 'text/html; charset=utf-8');
      return HTML;
    case 'truncated':
      return pdf.subarray(0, Math.ceil(pdf.length / 2));
    case 'padded':
      return padPdf(pdf, bytes ?? PADDED_BYTES);
    default:
      return form satisfies never;
  }
}

function isPdf(reply: FastifyReply): boolean {
  return reply.getHeader('content-type') === 'application/pdf';
}

function isJson(reply: FastifyReply): boolean {
  return JSON_TYPES.test(String(reply.getHeader('content-type')));
}

function toText(body: Body): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}

import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Has an address that is for all methods take every method that Node reads, so that it can say itself which are allowed. Called before the routes are made. */
export function takeEveryMethod(server: FastifyInstance): void {
  for (const method of METHODS) {
    if (!server.supportedMethods.includes(method)) server.addHttpMethod(method, { hasBody: true });
  }
}

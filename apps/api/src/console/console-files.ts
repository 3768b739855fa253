import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { preferredType } from '../http/media-types.js';

/** The built console. */
const SITE_FOLDER = fileURLToPath(new URL('../../../../console/dist/site/', import.meta.url));

/** Addresses of the API itself, and of files. Every other one is a page of the console. */
const RESERVED = /^\/(?:v1|schemas|assets|sign-in|sign-out|openapi\.json)(?:\/|$)/;
/** Files below /assets have a hash of their content in their name. */
const ASSET_AGE = '365d';
const PAGE = 'text/html';
const NOT_BUILT =
  'The console is not built. In a clone, run "npm run build" and start the API again. The archive API works: /openapi.json describes it.\n';

/**
 * Serves the console: the page for each of its addresses, and the files that the page loads.
 * @param folder for tests
 */
export async function serveConsole(server: FastifyInstance, folder = SITE_FOLDER): Promise<void> {
  const isBuilt = existsSync(join(folder, 'index.html'));
  if (isBuilt)
    await server.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      index: false,
      preCompressed: true,
      immutable: true,
      maxAge: ASSET_AGE,
    });
  server.addHook('onRequest', async (request, reply) => {
    if (!isPage(request)) return;
    void reply.header('vary', 'accept');
    if (!isBuilt) return reply.status(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
    return reply.header('cache-control', 'no-cache').sendFile('index.html', folder, { cacheControl: false });
  });
}

/** Whether a browser opens a page. Programs get the problem of an unknown address. */
function isPage(request: FastifyRequest): boolean {
  const { method, url, headers } = request;
  if (!request.is404 || (method !== 'GET' && method !== 'HEAD')) return false;
  const [path = ''] = url.split('?', 1);
  const accepts = headers.accept?.includes(PAGE) === true && preferredType(request, [PAGE]) === PAGE;
  return accepts && !RESERVED.test(path);
}

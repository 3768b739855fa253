import 'reflect-metadata';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { API_FEATURES } from '../../src/api.module.js';
import { createDocument } from './create-document.js';

/** The OpenAPI document of the controllers. Nothing is connected. */
export async function describeApi(): Promise<OpenAPIObject> {
  const testing = await Test.createTestingModule({ imports: API_FEATURES })
    .useMocker(() => ({}))
    .compile();
  return createDocument(testing.createNestApplication(new FastifyAdapter()));
}

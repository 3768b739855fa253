import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { sendMessage } from '@ssb/bus';
import Fastify from 'fastify';

/**
 * The peers: a server that takes the same message at the same path and answers an id, and does nothing else. `fastify`: Fastify alone.
 * `nest`: Nest on Fastify, which checks the message against its schema. Tells its parent the port.
 */
const PATH = '/api/v1/message';

@Controller()
class MessageController {
  @Post(PATH)
  @HttpCode(200)
  take(@Body() body: unknown): { id: string } {
    sendMessage.parse(body);
    return { id: randomUUID() };
  }
}

@Module({ controllers: [MessageController] })
class PeerModule {}

async function listen(kind: string): Promise<number> {
  if (kind === 'nest') {
    const nest = await NestFactory.create<NestFastifyApplication>(PeerModule, new FastifyAdapter(), {
      logger: false,
    });
    await nest.listen(0, '127.0.0.1');
    return (nest.getHttpServer().address() as AddressInfo).port;
  }
  const server = Fastify();
  server.post(PATH, () => ({ id: randomUUID() }));
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

process.send?.({ port: await listen(process.argv[2] ?? 'fastify') });
// Never outlives whoever measures.
process.once('disconnect', () => process.exit(0));

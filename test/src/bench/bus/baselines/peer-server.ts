import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { sendMessage } from '@ssb/bus';
import Fastify from 'fastify';

/**
 * A server that accepts the same message and responds with an id. `fastify` is Fastify alone; `nest` is Nest on Fastify, which validates
 * the message. It sends its port to the parent process.
 */
const PATH = '/api/v1/message';

@Controller()
class MessageController {
  @Post(PATH)
  @HttpCode(200)
  sendMessage(@Body() body: unknown): { id: string } {
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
process.once('disconnect', () => process.exit(0));

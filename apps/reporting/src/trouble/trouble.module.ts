import { Injectable, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Callers } from '../tokens/callers.js';
import { TroubleBoard } from './trouble-board.js';
import { hangOnto } from './trouble-hooks.js';

@Injectable()
class TroubleAtPort implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly modules: ModuleRef,
    private readonly board: TroubleBoard,
  ) {}

  onModuleInit(): void {
    const callers = this.modules.get(Callers, { strict: false });
    hangOnto(this.host.httpAdapter.getInstance<FastifyInstance>(), {
      board: this.board,
      participantOf: (request) => {
        const caller = callers.of(request);
        return caller.ok ? caller.participant : undefined;
      },
    });
  }
}

/** Puts the switches for trouble in front of the participants' port. */
@Module({})
export class TroubleModule {
  static around(participants: DynamicModule, board: TroubleBoard): DynamicModule {
    return {
      module: TroubleModule,
      imports: [participants],
      providers: [TroubleAtPort, { provide: TroubleBoard, useValue: board }],
    };
  }
}

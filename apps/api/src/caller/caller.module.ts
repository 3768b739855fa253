import { Module } from '@nestjs/common';
import { CallerController } from './caller.controller.js';

/** The caller itself. */
@Module({ controllers: [CallerController] })
export class CallerModule {}

import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { Enrolment } from '@ssb/bus';
import { EnrolmentService } from './enrolment.service.js';

/** Document 002, `/api/v1/config/enrol`. */
@Controller('api/v1/config/enrol')
export class EnrolmentController {
  constructor(private readonly enrolments: EnrolmentService) {}

  @Post()
  @HttpCode(200)
  enrol(): Promise<Enrolment> {
    return this.enrolments.enrol();
  }

  @Get()
  getEnrolment(): Promise<Enrolment> {
    return this.enrolments.getEnrolment();
  }
}

export { answerProfileCase } from './answer-case.ts';

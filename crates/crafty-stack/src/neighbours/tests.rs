//! Traces of questions and answers.

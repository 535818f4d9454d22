//! The gate against attacks, laws and noise. All of it in memory.

mod attacks;
mod budget;
mod build;
mod fresh;
mod guard;
mod hearing;
mod laws;
mod noise;
mod world;

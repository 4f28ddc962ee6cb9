//! System tests: the real program, real sockets, real databases. The only fake is the model.

#![cfg(test)]

mod abilities;
mod approvals;
mod canary;
mod checker;
mod colleagues;
mod compaction;
mod content;
mod conversation;
mod crash_points;
mod doctor;
mod ending;
mod faults;
mod follower;
mod ground;
mod kill_loop;
mod markup;
mod newcomer;
mod programs;
mod rotation;
mod script;
mod sealed;
mod secrecy;
mod sending;
mod told;
mod upkeep;
mod vendors;
mod websocket;
mod window;
mod world;

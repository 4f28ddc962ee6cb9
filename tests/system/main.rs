//! System tests: the real program, real sockets, real databases. The only fake is the model.

mod checker;
mod follower;
mod kill_loop;
mod world;

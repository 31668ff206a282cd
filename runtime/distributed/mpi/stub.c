/* stub.c: the names that the plug-in for MPI 5's ABI takes from libmpi_abi.so, for the linker of a machine without that library. Only
 * names count: at run time the real library answers. */
int MPI_Initialized(void);
int MPI_Initialized(void) { return 0; }
int MPI_Finalized(void);
int MPI_Finalized(void) { return 0; }
int MPI_Init_thread(void);
int MPI_Init_thread(void) { return 0; }
int MPI_Query_thread(void);
int MPI_Query_thread(void) { return 0; }
int MPI_Finalize(void);
int MPI_Finalize(void) { return 0; }
int MPI_Get_library_version(void);
int MPI_Get_library_version(void) { return 0; }
int MPI_Error_string(void);
int MPI_Error_string(void) { return 0; }
int MPI_Comm_rank(void);
int MPI_Comm_rank(void) { return 0; }
int MPI_Comm_size(void);
int MPI_Comm_size(void) { return 0; }
int MPI_Comm_group(void);
int MPI_Comm_group(void) { return 0; }
int MPI_Comm_create_group(void);
int MPI_Comm_create_group(void) { return 0; }
int MPI_Comm_set_errhandler(void);
int MPI_Comm_set_errhandler(void) { return 0; }
int MPI_Comm_get_attr(void);
int MPI_Comm_get_attr(void) { return 0; }
int MPI_Group_incl(void);
int MPI_Group_incl(void) { return 0; }
int MPI_Group_free(void);
int MPI_Group_free(void) { return 0; }
int MPI_Op_create(void);
int MPI_Op_create(void) { return 0; }
int MPI_Type_contiguous(void);
int MPI_Type_contiguous(void) { return 0; }
int MPI_Type_create_resized(void);
int MPI_Type_create_resized(void) { return 0; }
int MPI_Type_commit(void);
int MPI_Type_commit(void) { return 0; }
int MPI_Type_free(void);
int MPI_Type_free(void) { return 0; }
int MPI_Testall(void);
int MPI_Testall(void) { return 0; }
int MPI_Cancel(void);
int MPI_Cancel(void) { return 0; }
int MPI_Test_cancelled(void);
int MPI_Test_cancelled(void) { return 0; }
int MPI_Isend(void);
int MPI_Isend(void) { return 0; }
int MPI_Irecv(void);
int MPI_Irecv(void) { return 0; }
int MPI_Ibarrier(void);
int MPI_Ibarrier(void) { return 0; }
int MPI_Ibcast(void);
int MPI_Ibcast(void) { return 0; }
int MPI_Ireduce(void);
int MPI_Ireduce(void) { return 0; }
int MPI_Iallreduce(void);
int MPI_Iallreduce(void) { return 0; }
int MPI_Iallgather(void);
int MPI_Iallgather(void) { return 0; }
int MPI_Igather(void);
int MPI_Igather(void) { return 0; }
int MPI_Iscatter(void);
int MPI_Iscatter(void) { return 0; }
int MPI_Ireduce_scatter_block(void);
int MPI_Ireduce_scatter_block(void) { return 0; }
